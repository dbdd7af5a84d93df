import type { LibraryChange, ShelfView } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import type { AnswerOf, GatewayClient } from "./gateway-client.ts";
import { type RemoteSource, toRemoteEntry } from "./remote-entry.ts";
import { badAnswer, remoteFailed } from "./remote-failure.ts";
import type { ViewerQuery } from "./viewer-query.ts";

/** The skills that a gateway listed at one moment, as the view of a shelf. */
export class RemoteView implements ShelfView {
  /** Ordered by id. */
  readonly entries: readonly SkillEntry[];
  /** Used for conditional requests; undefined if the list changed while it was read. */
  readonly etag: string | undefined;
  readonly shadowed = [];
  readonly invalid = [];
  readonly #byId: ReadonlyMap<string, SkillEntry>;

  constructor(entries: readonly SkillEntry[], etag: string | undefined) {
    this.entries = entries;
    this.etag = etag;
    this.#byId = new Map(entries.map((entry) => [entry.id, entry]));
  }

  find(id: string): SkillEntry | undefined {
    return this.#byId.get(id);
  }

  /** The gateway applies its own decisions. */
  standing(): undefined {
    return undefined;
  }

  /** Third-party skills rank below all skills of this machine. */
  kind(id: string): "third_party" | undefined {
    return this.#byId.has(id) ? "third_party" : undefined;
  }
}

export interface ListPorts {
  readonly client: GatewayClient;
  readonly source: RemoteSource;
  readonly limits: Limits;
  /** Whom the gateway lists the skills for. */
  readonly viewAs: ViewerQuery;
}

type Page = AnswerOf<"listSkills">;

const PAGE = "1000";
/** How often a list that changes while it is read is read again. */
const TRIES = 3;

/** Fetches the list of a gateway with a conditional request; returns the last view if the list is unchanged. */
export async function fetchList(last: RemoteView | undefined, ports: ListPorts): Promise<RemoteView> {
  const { client, viewAs } = ports;
  const query = { ...viewAs, view: "visible", limit: PAGE };
  for (let attempt = 1; ; attempt += 1) {
    const first = await client.askAgain("listSkills", { query }, last?.etag);
    if (first === undefined && last !== undefined) return last;
    if (first === undefined) throw badAnswer(client.address, "status 304 without a cached response.");
    const { entries, isOneState } = await readPages(first.data, query, ports);
    if (isOneState || attempt === TRIES) return new RemoteView(entries, isOneState ? first.etag : undefined);
  }
}

async function readPages(
  first: Page,
  query: Readonly<Record<string, string>>,
  { client, limits, source }: ListPorts,
): Promise<{ readonly entries: readonly SkillEntry[]; readonly isOneState: boolean }> {
  const entries: SkillEntry[] = [];
  let last = "";
  let rows = 0;
  // The version changes with every visible change; pages of different versions are not one state.
  let isOneState = true;
  for (let page = first; ; ) {
    for (const row of page.skills) {
      // Strictly increasing ids, so that a list cannot go on forever.
      if (row.entry.id <= last) throw badAnswer(client.address, "the list is out of order.");
      last = row.entry.id;
      const entry = toRemoteEntry(row, source);
      if (entry !== undefined) entries.push(entry);
    }
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

/** The change between two lists by id, without modification times; undefined without a change. */
export function changeBetween(before: ShelfView, after: ShelfView): LibraryChange | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  for (const entry of after.entries) {
    const last = before.find(entry.id);
    if (last === undefined) added.push(entry.id);
    else if (isOther(last, entry)) changed.push(entry.id);
  }
  const removed = before.entries.flatMap(({ id }) => (after.find(id) === undefined ? [id] : []));
  if (added.length + changed.length + removed.length === 0) return undefined;
  return { added, changed, removed, broken: [] };
}

function isOther(
  { lastModified: _, ...last }: SkillEntry,
  { lastModified: __, ...entry }: SkillEntry,
): boolean {
  return JSON.stringify(last) !== JSON.stringify(entry);
}
