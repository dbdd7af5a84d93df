import type { AuditHead, AuditRow, Frontier } from "../record/registry-store.ts";
import { CHAIN_START, chainHash } from "./chain.ts";
import { signCheckpoint } from "./checkpoint.ts";
import { columnsOf, makeKey, makeLog, type StoredLog } from "./memory-log.fixture.ts";
import { emptyFrontier } from "./merkle.ts";

/** A log under attack: the attacker has the database and its history, but no key. */
export interface Victim extends StoredLog {
  readonly head: AuditHead;
  /** Earlier heads, as a database backup would have them. */
  readonly past: readonly AuditHead[];
}

/** A number from 0 to `below` - 1. */
export type Pick = (below: number) => number;

export type Tamper = (victim: Victim, pick: Pick) => StoredLog;

const stranger = makeKey().signer;

/** All known ways to falsify a log. Each returns a log that differs from the original. */
export const tampers: Readonly<Record<string, Tamper>> = {
  "edit a text": (victim, pick) => editOne(victim, pick, ({ body }) => ({ body: editBody(body) })),
  "edit a text and its columns": (victim, pick) =>
    editOne(victim, pick, ({ body }) => ({ body: editBody(body), ...columnsOf(editBody(body)) })),
  "edit a text and its hash": (victim, pick) => {
    const index = pick(victim.rows.length);
    const previous = victim.rows[index - 1]?.hash ?? CHAIN_START;
    return editAt(victim, index, ({ body }) => {
      const edited = editBody(body);
      return { body: edited, ...columnsOf(edited), hash: chainHash(previous, edited) };
    });
  },
  "write a text in another form": (victim, pick) =>
    editOne(victim, pick, ({ body }) => ({ body: `${body.slice(0, -1)} }` })),
  "make a text no event": (victim, pick) => editOne(victim, pick, () => ({ body: '{"type":"nothing"}' })),
  "make a text no JSON": (victim, pick) => editOne(victim, pick, () => ({ body: "{" })),
  "edit a hash": (victim, pick) => editOne(victim, pick, ({ hash }) => ({ hash: editHash(hash) })),
  "edit a time": (victim, pick) => editOne(victim, pick, () => ({ at: "2020-01-01T00:00:00.000Z" })),
  "edit a type": (victim, pick) => editOne(victim, pick, () => ({ type: "session.nothing" })),
  "edit a skill": (victim, pick) => editOne(victim, pick, () => ({ skill: "another-skill" })),
  "hide an entry from its session": (victim, pick) =>
    editOne(victim, pick, ({ session }) => ({ session: session === undefined ? "made-up" : undefined })),
  "name another agent": (victim, pick) => editOne(victim, pick, () => ({ agent: "another-agent" })),
  "name another person": (victim, pick) => editOne(victim, pick, () => ({ person: "another-person" })),
  "delete an entry": (victim, pick) => without(victim, pick(victim.rows.length)),
  "delete several entries": (victim, pick) => {
    const start = pick(victim.rows.length);
    return { ...victim, rows: victim.rows.toSpliced(start, 1 + pick(5)) };
  },
  "delete an entry and number the rest anew": (victim, pick) => {
    const { rows, head } = without(victim, pick(victim.rows.length));
    return { rows: rows.map((row, index) => ({ ...row, seq: index + 1 })), head };
  },
  "swap two entries": (victim, pick) => swap(victim, pick, (row) => row.seq),
  "swap two texts": (victim, pick) => {
    const [one, other] = pair(victim, pick);
    const texts = (row: AuditRow) => ({ body: row.body, ...columnsOf(row.body) });
    const rows = victim.rows.with(one.seq - 1, { ...one, ...texts(other) });
    return { ...victim, rows: rows.with(other.seq - 1, { ...other, ...texts(one) }) };
  },
  "insert an entry": (victim, pick) => {
    const at = pick(victim.rows.length);
    const rows = victim.rows.toSpliced(at, 0, forgeRow(victim, at));
    return { ...victim, rows: rows.map((row, index) => ({ ...row, seq: index + 1 })) };
  },
  "add an entry that follows": (victim) => ({
    ...victim,
    rows: [...victim.rows, forgeRow(victim, victim.rows.length)],
  }),
  "cut the end off": (victim, pick) => ({ ...victim, rows: victim.rows.slice(0, pick(victim.rows.length)) }),
  "cut the end off and make a head": (victim, pick) => {
    const { rows, head } = makeLog(bodies(victim).slice(0, pick(victim.rows.length)), victim.head.origin);
    return { rows, head: head && { ...head, note: victim.head.note } };
  },
  "go back to an earlier state": (victim, pick) => {
    const head = victim.past[pick(victim.past.length)];
    return { rows: victim.rows.slice(0, head?.seq ?? 0), head };
  },
  "go back and write on": (victim, pick) => {
    const kept = bodies(victim).slice(0, victim.past[pick(victim.past.length)]?.seq ?? 0);
    return signedByStranger([...kept, ...bodies(victim).slice(kept.length).map(editBody)], victim);
  },
  "rewrite from a point on": (victim, pick) => rewrite(victim, pick, victim.head.note),
  "rewrite from a point on, unsigned": (victim, pick) => rewrite(victim, pick, undefined),
  "rewrite from a point on, signed by another": (victim, pick) => {
    const from = pick(victim.rows.length);
    return signedByStranger(
      bodies(victim).map((body, index) => (index < from ? body : editBody(body))),
      victim,
    );
  },
  "put another log in its place": (victim) =>
    makeLog(bodies(victim).map(editBody), "skillhold/elsewhere", stranger),
  "drop the head": (victim) => ({ ...victim, head: undefined }),
  "drop everything": () => ({ rows: [], head: undefined }),
  "take the note away": (victim) => withHead(victim, { note: undefined }),
  "put an earlier note in": (victim, pick) => {
    const { note } = victim.past[pick(victim.past.length)] ?? victim.head;
    return withHead(victim, { note });
  },
  "put in a note of another": (victim) => {
    const checkpoint = {
      origin: victim.head.origin,
      size: victim.head.seq,
      root: editHash(victim.head.hash),
    };
    return withHead(victim, { note: signCheckpoint(checkpoint, stranger) });
  },
  "edit the note": (victim, pick) => {
    const note = victim.head.note ?? "";
    // Not the last character, because some of its bits are unused.
    const at = pick(note.length - 4);
    return withHead(victim, {
      note: `${note.slice(0, at)}${note[at] === "A" ? "B" : "A"}${note.slice(at + 1)}`,
    });
  },
  "edit the frontier": (victim, pick) =>
    withHead(victim, { frontier: editFrontier(victim.head.frontier, pick) }),
  "empty the frontier": (victim) => withHead(victim, { frontier: emptyFrontier }),
  "edit the hash of the head": (victim) => withHead(victim, { hash: editHash(victim.head.hash) }),
  "edit the number of the head": (victim, pick) =>
    withHead(victim, { seq: victim.head.seq + (pick(2) === 0 ? 1 : -1) }),
  "edit the origin of the head": (victim) => withHead(victim, { origin: "skillhold/elsewhere" }),
};

/** A random tamper with its name. */
export function pickTamper(pick: Pick): readonly [name: string, tamper: Tamper] {
  const all = Object.entries(tampers);
  const chosen = all[pick(all.length)];
  if (chosen === undefined) throw new Error("A pick is below what it is given.");
  return chosen;
}

function bodies({ rows }: StoredLog): readonly string[] {
  return rows.map(({ body }) => body);
}

function editOne(victim: Victim, pick: Pick, edit: (row: AuditRow) => Partial<AuditRow>): StoredLog {
  return editAt(victim, pick(victim.rows.length), edit);
}

function editAt(victim: Victim, index: number, edit: (row: AuditRow) => Partial<AuditRow>): StoredLog {
  const rows = victim.rows.map((row, each) => (each === index ? { ...row, ...edit(row) } : row));
  return { ...victim, rows };
}

/** The same event, half a second later. */
function editBody(body: string): string {
  return body.replace(/"at":"([^"]+)\.000Z"/, '"at":"$1.500Z"');
}

function editHash(hash: string): string {
  return `${hash.startsWith("0") ? "1" : "0"}${hash.slice(1)}`;
}

function without(victim: Victim, index: number): StoredLog {
  return { ...victim, rows: victim.rows.toSpliced(index, 1) };
}

function pair(victim: Victim, pick: Pick): readonly [AuditRow, AuditRow] {
  const one = pick(victim.rows.length);
  const other = (one + 1 + pick(victim.rows.length - 1)) % victim.rows.length;
  const [first, second] = [victim.rows[one], victim.rows[other]];
  if (first === undefined || second === undefined)
    throw new Error("The log is too short to be tampered with.");
  return [first, second];
}

function swap(victim: Victim, pick: Pick, order: (row: AuditRow) => number): StoredLog {
  const [one, other] = pair(victim, pick);
  const rows = victim.rows.map((row) =>
    row === one ? { ...one, seq: other.seq } : row === other ? { ...other, seq: one.seq } : row,
  );
  return { ...victim, rows: rows.toSorted((first, second) => order(first) - order(second)) };
}

function forgeRow({ rows }: Victim, at: number): AuditRow {
  const body = editBody(rows[at]?.body ?? rows[0]?.body ?? "");
  const hash = chainHash(rows[at - 1]?.hash ?? CHAIN_START, body);
  return { seq: at + 1, ...columnsOf(body), body, hash };
}

function rewrite(victim: Victim, pick: Pick, note: string | undefined): StoredLog {
  const from = pick(victim.rows.length);
  const edited = bodies(victim).map((body, index) => (index < from ? body : editBody(body)));
  const { rows, head } = makeLog(edited, victim.head.origin);
  return { rows, head: head && { ...head, note } };
}

function signedByStranger(texts: readonly string[], victim: Victim): StoredLog {
  return makeLog(texts, victim.head.origin, stranger);
}

function withHead(victim: Victim, change: Partial<AuditHead>): StoredLog {
  return { rows: victim.rows, head: { ...victim.head, ...change } };
}

function editFrontier({ size, roots }: Frontier, pick: Pick): Frontier {
  const at = pick(roots.length);
  return { size, roots: roots.map((root, index) => (index === at ? editHash(root) : root)) };
}
