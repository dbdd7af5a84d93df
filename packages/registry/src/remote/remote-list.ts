import type { LibraryChange } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { type RemoteSource, toRemoteEntry } from "./remote-entry.ts";
import { badAnswer, remoteFailed } from "./remote-failure.ts";
import { type ViewerQuery, viewerQueryKey } from "./viewer-query.ts";

/** The skills that a viewer could see at one moment. */
export interface RemoteList {
  readonly viewer: ViewerQuery;
  /** Ordered by id. */
  readonly entries: readonly SkillEntry[];
  readonly byId: ReadonlyMap<string, SkillEntry>;
  /** Used for conditional requests; undefined if the list changed while it was read. */
  readonly etag: string | undefined;
  /** The sequence number of the request. */
  readonly turn: number;
}

export interface ListPorts {
  readonly client: GatewayClient;
  readonly source: RemoteSource;
  readonly limits: Limits;
  /** Called when a list changed. */
  readonly onChange: (change: LibraryChange) => void;
}

type Page = AnswerOf<"listSkills">;

const PAGE = "1000";
/** How often a list that changes while it is read is read again. */
const TRIES = 3;
/** The most viewers whose lists are cached. */
const KEPT_LISTS = 32;

/** The lists of a gateway, revalidated on every use with a conditional request. */
export class RemoteLists {
  readonly #ports: ListPorts;
  readonly #kept = new Map<string, RemoteList>();
  readonly #known = new KnownSkills();
  #turn = 0;

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  /** The current list. Reports changes since the previous one. */
  async get(viewer: ViewerQuery): Promise<RemoteList> {
    const { list, change } = await this.#update(viewer);
    if (change !== undefined) this.#ports.onChange(change);
    return list;
  }

  /** Refreshes all lists and reports one combined change. */
  async refresh(): Promise<void> {
    const all = [...this.#kept.values()].map(({ viewer }) => viewer);
    const changes: LibraryChange[] = [];
    for (const viewer of all.length === 0 ? [{}] : all) {
      const { change } = await this.#update(viewer);
      if (change !== undefined) changes.push(change);
    }
    const change = mergeChanges(changes);
    if (change !== undefined) this.#ports.onChange(change);
  }

  /** The list that the viewer last got. */
  last(viewer: ViewerQuery): RemoteList | undefined {
    return this.#kept.get(viewerQueryKey(viewer));
  }

  async #update(
    viewer: ViewerQuery,
  ): Promise<{ readonly list: RemoteList; readonly change: LibraryChange | undefined }> {
    const list = await this.#fetch(viewer, this.last(viewer));
    const before = this.last(viewer);
    // A later request may have finished first and is newer.
    if (before !== undefined && before.turn > list.turn) return { list, change: undefined };
    this.#keep(list);
    if (before === undefined) this.#known.meet(list.byId);
    const isSame = before === undefined || before.byId === list.byId;
    return { list, change: isSame ? undefined : this.#known.learn(before.byId, list.byId) };
  }

  #keep(list: RemoteList): void {
    const key = viewerQueryKey(list.viewer);
    this.#kept.delete(key);
    this.#kept.set(key, list);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_LISTS && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #fetch(viewer: ViewerQuery, last: RemoteList | undefined): Promise<RemoteList> {
    const { client } = this.#ports;
    const query = { ...viewer, view: "visible", limit: PAGE };
    for (let attempt = 1; ; attempt += 1) {
      this.#turn += 1;
      const turn = this.#turn;
      const first = await client.askAgain("listSkills", { query }, last?.etag);
      if (first === undefined && last !== undefined) return { ...last, turn };
      if (first === undefined) throw badAnswer(client.address, "status 304 without a cached response.");
      const { entries, isOneState } = await this.#readPages(first.data, query);
      if (!isOneState && attempt < TRIES) continue;
      const byId = new Map<string, SkillEntry>(entries.map((entry) => [entry.id, entry]));
      return { viewer, entries, byId, etag: isOneState ? first.etag : undefined, turn };
    }
  }

  async #readPages(
    first: Page,
    query: Readonly<Record<string, string>>,
  ): Promise<{ readonly entries: readonly SkillEntry[]; readonly isOneState: boolean }> {
    const { client, limits } = this.#ports;
    const entries: SkillEntry[] = [];
    let last = "";
    let rows = 0;
    // The version changes with every visible change; pages of different versions are not one state.
    let isOneState = true;
    for (let page = first; ; ) {
      last = this.#addPage(page, last, entries);
      rows += page.skills.length;
      if (rows > limits.remoteSkills)
        throw remoteFailed(
          `The gateway ${client.address} lists more than ${limits.remoteSkills} skills (remoteSkills).`,
          { hint: "Use an agent with access to fewer skills, or raise the limit." },
        );
      isOneState &&= page.version === first.version;
      const { nextCursor: cursor } = page;
      if (cursor === undefined) return { entries, isOneState };
      if (page.skills.length === 0) throw badAnswer(client.address, "a page without skills.");
      ({ data: page } = await client.ask("listSkills", { query: { ...query, cursor } }));
    }
  }

  /** Requires strictly increasing ids, so that a list cannot go on forever. Returns the last id. */
  #addPage({ skills }: Page, after: string, entries: SkillEntry[]): string {
    let last = after;
    for (const row of skills) {
      const { id } = row.entry;
      if (id <= last) throw badAnswer(this.#ports.client.address, "the list is out of order.");
      last = id;
      const entry = toRemoteEntry(row, this.#ports.source);
      if (entry !== undefined) entries.push(entry);
    }
    return last;
  }
}

type Entries = ReadonlyMap<string, SkillEntry>;

/**
 * The state known to listeners. Several viewers have separate lists, and a change that both see is reported
 * once.
 */
export class KnownSkills {
  readonly #known = new Map<string, SkillEntry>();

  /** The first list of a viewer is not a change. */
  meet(entries: Entries): void {
    for (const [id, entry] of entries) if (!this.#known.has(id)) this.#known.set(id, entry);
  }

  /** The part of a list change that was not reported yet; undefined without such a part. */
  learn(before: Entries, after: Entries): LibraryChange | undefined {
    const added: string[] = [];
    const changed: string[] = [];
    for (const [id, entry] of after) {
      const last = before.get(id);
      const known = this.#known.get(id);
      if (last !== undefined && !isOther(last, entry)) continue;
      if (known === undefined) added.push(id);
      else if (isOther(known, entry)) changed.push(id);
      this.#known.set(id, entry);
    }
    const removed = [...before.keys()].filter((id) => !after.has(id) && this.#known.delete(id));
    if (added.length + changed.length + removed.length === 0) return undefined;
    return { added, changed, removed, broken: [] };
  }
}

/** Combines several changes. */
export function mergeChanges(changes: readonly LibraryChange[]): LibraryChange | undefined {
  if (changes.length < 2) return changes[0];
  const kinds = new Map<string, "added" | "changed" | "removed">();
  for (const kind of ["added", "changed", "removed"] as const)
    for (const id of changes.flatMap((change) => change[kind]))
      kinds.set(id, (kinds.get(id) ?? kind) === kind ? kind : "changed");
  const idsOf = (wanted: string) => [...kinds].flatMap(([id, kind]) => (kind === wanted ? [id] : [])).sort();
  return { added: idsOf("added"), changed: idsOf("changed"), removed: idsOf("removed"), broken: [] };
}

/** Ignores modification times. */
function isOther(
  { lastModified: _, ...last }: SkillEntry,
  { lastModified: __, ...entry }: SkillEntry,
): boolean {
  return JSON.stringify(last) !== JSON.stringify(entry);
}
