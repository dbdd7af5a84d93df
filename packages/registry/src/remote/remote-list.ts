import type { LibraryChange } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { type RemoteSource, toRemoteEntry } from "./remote-entry.ts";
import { badAnswer, remoteFailed } from "./remote-failure.ts";
import { type ViewerQuery, viewerQueryKey } from "./viewer-query.ts";

/** The skills that there are for someone, as of one moment. */
export interface RemoteList {
  readonly viewer: ViewerQuery;
  /** Ordered by id. */
  readonly entries: readonly SkillEntry[];
  readonly byId: ReadonlyMap<string, SkillEntry>;
  /** By which one asks whether it is still so; undefined when it changed while it was read. */
  readonly etag: string | undefined;
  /** Which of all questions it answers. */
  readonly turn: number;
}

export interface ListPorts {
  readonly client: GatewayClient;
  readonly source: RemoteSource;
  readonly limits: Limits;
  /** Told when a list is another one than before. */
  readonly onChange: (change: LibraryChange) => void;
}

type Page = AnswerOf<"listSkills">;

const PAGE = "1000";
/** How often a list that changes while it is read is begun anew. */
const TRIES = 3;
/** Each way of viewer has a list of its own; of so many the last ones are kept. */
const KEPT_LISTS = 32;

/** The lists of a gateway, each asked for again whenever someone looks: one that is the same costs an answer without text. */
export class RemoteLists {
  readonly #ports: ListPorts;
  readonly #kept = new Map<string, RemoteList>();
  readonly #known = new KnownSkills();
  #turn = 0;

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  /** As it is now. Whoever listens is told what became of the one before. */
  async get(viewer: ViewerQuery): Promise<RemoteList> {
    const { list, change } = await this.#update(viewer);
    if (change !== undefined) this.#ports.onChange(change);
    return list;
  }

  /** Brings all up to date, and tells what changed as one change. */
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

  /** As it was when someone last looked this way. */
  last(viewer: ViewerQuery): RemoteList | undefined {
    return this.#kept.get(viewerQueryKey(viewer));
  }

  async #update(
    viewer: ViewerQuery,
  ): Promise<{ readonly list: RemoteList; readonly change: LibraryChange | undefined }> {
    const list = await this.#fetch(viewer, this.last(viewer));
    const before = this.last(viewer);
    // One that was asked for later may have come first, and says more.
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
      if (first === undefined) throw badAnswer(client.address, "it says that nothing has changed.");
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
    // Every change of what anyone may see is another version, and pages of two are of no one state.
    let isOneState = true;
    for (let page = first; ; ) {
      last = this.#takeIn(page, last, entries);
      rows += page.skills.length;
      if (rows > limits.remoteSkills)
        throw remoteFailed(
          `The gateway ${client.address} lists more than ${limits.remoteSkills} skills (remoteSkills).`,
          { hint: "Look as an agent that may use fewer, or raise the limit." },
        );
      isOneState &&= page.version === first.version;
      const { nextCursor: cursor } = page;
      if (cursor === undefined) return { entries, isOneState };
      if (page.skills.length === 0) throw badAnswer(client.address, "it lists pages without skills.");
      ({ data: page } = await client.ask("listSkills", { query: { ...query, cursor } }));
    }
  }

  /** Each id once and in order: a list that goes on for ever has no such order. Returns the last id. */
  #takeIn({ skills }: Page, after: string, entries: SkillEntry[]): string {
    let last = after;
    for (const row of skills) {
      const { id } = row.entry;
      if (id <= last) throw badAnswer(this.#ports.client.address, "its list is out of order.");
      last = id;
      const entry = toRemoteEntry(row, this.#ports.source);
      if (entry !== undefined) entries.push(entry);
    }
    return last;
  }
}

type Entries = ReadonlyMap<string, SkillEntry>;

/**
 * What those who listen know. Several look at a gateway, each with a list of its own, and a change that one sees first
 * and another later is one change.
 */
export class KnownSkills {
  readonly #known = new Map<string, SkillEntry>();

  /** What someone sees who has not looked before is no change. */
  meet(entries: Entries): void {
    for (const [id, entry] of entries) if (!this.#known.has(id)) this.#known.set(id, entry);
  }

  /** What is new of what became of a list, or undefined when nothing is. */
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

/** Several changes as one. */
export function mergeChanges(changes: readonly LibraryChange[]): LibraryChange | undefined {
  if (changes.length < 2) return changes[0];
  const kinds = new Map<string, "added" | "changed" | "removed">();
  for (const kind of ["added", "changed", "removed"] as const)
    for (const id of changes.flatMap((change) => change[kind]))
      kinds.set(id, (kinds.get(id) ?? kind) === kind ? kind : "changed");
  const idsOf = (wanted: string) => [...kinds].flatMap(([id, kind]) => (kind === wanted ? [id] : [])).sort();
  return { added: idsOf("added"), changed: idsOf("changed"), removed: idsOf("removed"), broken: [] };
}

/** A file that was only written again, or touched, is no change. */
function isOther(
  { lastModified: _, ...last }: SkillEntry,
  { lastModified: __, ...entry }: SkillEntry,
): boolean {
  return JSON.stringify(last) !== JSON.stringify(entry);
}
