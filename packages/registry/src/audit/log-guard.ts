import { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { systemActor } from "../ownership/ownership.ts";
import type { AuditHead, AuditKeyChange, RegistryReader } from "../record/registry-store.ts";
import { endorse, type KeyChange, type KeySet, keyOfText, keyText, nextKeys, noKeys } from "./audit-key.ts";
import { chainHash } from "./chain.ts";
import { type Checkpoint, type CheckpointSigner, readCheckpoint, signCheckpoint } from "./checkpoint.ts";
import { appendLeaf, rootOf } from "./merkle.ts";
import { PrunedEntries } from "./pruning.ts";

/** The log as this machine last saw and checked it. */
export interface SeenLogState {
  readonly head: AuditHead;
  readonly keys: KeySet;
}

/** Remembers the last state of a log across processes. */
export interface LogMemory {
  load(): Promise<SeenLogState | undefined>;
  save(state: SeenLogState): Promise<void>;
}

type LogReader = Pick<RegistryReader, "auditAfter" | "auditKeys">;

const PAGE = 1000;

/**
 * Decides whether a writer may extend a log. The log must continue the last seen state, and a registered key must have
 * signed its head; otherwise the next signature would confirm a manipulated log.
 */
export class LogGuard {
  readonly signer: CheckpointSigner;
  readonly ownKey: string;
  readonly #memory: LogMemory | undefined;
  #seen: Promise<SeenLogState | undefined> | undefined;

  constructor(signer: CheckpointSigner, memory?: LogMemory) {
    this.signer = signer;
    this.ownKey = keyText(signer.key);
    this.#memory = memory;
  }

  /** The checks of one transaction. Their result counts only after `committed`. */
  begin(): GuardedAppend {
    return new GuardedAppend(this, () => this.seen());
  }

  /** Accepts the end of a transaction that was committed. */
  committed({ state }: GuardedAppend): SeenLogState | undefined {
    if (state !== undefined) this.#seen = Promise.resolve(state);
    return state;
  }

  seen(): Promise<SeenLogState | undefined> {
    this.#seen ??= this.#load();
    return this.#seen;
  }

  async save(state: SeenLogState): Promise<void> {
    await this.#memory?.save(state);
  }

  async #load(): Promise<SeenLogState | undefined> {
    try {
      return await this.#memory?.load();
    } catch (error) {
      // The next append tries again.
      this.#seen = undefined;
      throw error;
    }
  }
}

/** The checks and signatures of one transaction. */
export class GuardedAppend {
  readonly #guard: LogGuard;
  readonly #seen: () => Promise<SeenLogState | undefined>;
  #state: SeenLogState | undefined;
  #start: number | undefined;

  constructor(guard: LogGuard, seen: () => Promise<SeenLogState | undefined>) {
    this.#guard = guard;
    this.#seen = seen;
  }

  /** The log after this transaction; undefined while it appended no event. */
  get state(): SeenLogState | undefined {
    return this.#state;
  }

  /** The last entry before this transaction; undefined while it appended no event. */
  get start(): number | undefined {
    return this.#start;
  }

  /** Throws if the log must not be extended. Returns the events that must come first. */
  async admit(head: AuditHead, log: LogReader, at: string): Promise<readonly SkillEvent[]> {
    const seen = this.#state ?? (await this.#seen());
    const keys =
      seen === undefined
        ? await readKeys(head, log)
        : await continueFrom(seen, head, log, this.#guard.ownKey);
    this.#state = { head, keys };
    if (keys.keys.length === 0) {
      if (head.note !== undefined && !this.#isSigned(head, [this.#guard.ownKey])) throw unsigned(head);
      return [addedKey(this.#guard.ownKey, at)];
    }
    if (!keys.keys.includes(this.#guard.ownKey)) throw unregistered(this.#guard.ownKey);
    const isTrusted = seen !== undefined && isSameHead(seen.head, head);
    if (!isTrusted && !this.#isSigned(head, keys.keys)) throw unsigned(head);
    return [];
  }

  /** Accepts the log as it is, as an operator decided, with this machine's key as the only one. */
  adopt(head: AuditHead, at: string): readonly SkillEvent[] {
    this.#state = { head, keys: noKeys };
    return [addedKey(this.#guard.ownKey, at)];
  }

  /** A key change that this machine's key endorses. */
  endorsed(change: Omit<KeyChange, "type" | "endorsement">, seq: number): KeyChange {
    const { origin } = this.#required().head;
    const event: KeyChange = { type: "audit.key_changed", ...change };
    return { ...event, endorsement: endorse({ seq, event }, origin, this.#guard.signer) };
  }

  /** Signs the head after these events and continues from it. */
  sign(head: AuditHead, changes: readonly AuditKeyChange[]): AuditHead {
    const state = this.#required();
    let { keys } = state;
    for (const change of changes) {
      const next = nextKeys(keys, change, head.origin);
      if (next === undefined) throw unendorsed(change);
      keys = next;
    }
    this.#start ??= state.head.seq;
    const signed = { ...head, note: signCheckpoint(checkpointOf(head), this.#guard.signer) };
    this.#state = { head: signed, keys };
    return signed;
  }

  #required(): SeenLogState {
    if (this.#state === undefined) throw new Error("The log was not checked before it was extended.");
    return this.#state;
  }

  #isSigned(head: AuditHead, keys: readonly string[]): boolean {
    const trusted = keys.map((text) => keyOfText(text, this.#guard.signer.name));
    const signed = readCheckpoint(head.note ?? "", trusted);
    const now = checkpointOf(head);
    return signed?.origin === now.origin && signed.size === now.size && signed.root === now.root;
  }
}

/** The keys that the log registers. */
async function readKeys(head: AuditHead, log: LogReader): Promise<KeySet> {
  let keys = noKeys;
  for (const change of await log.auditKeys()) keys = nextKeys(keys, change, head.origin) ?? keys;
  return keys;
}

/** Checks every entry since the last seen state, and returns the keys at the end. */
async function continueFrom(
  seen: SeenLogState,
  head: AuditHead,
  log: LogReader,
  ownKey: string,
): Promise<KeySet> {
  const before = seen.head;
  if (isSameHead(before, head)) return seen.keys;
  if (before.origin !== head.origin) throw rewritten("is another log than the one seen before", before, head);
  if (head.seq < before.seq)
    throw rewritten(`shrank from ${before.seq} to ${head.seq} entries`, before, head);
  let { hash, frontier } = before;
  let { keys } = seen;
  const pruned = new PrunedEntries();
  for (let seq = before.seq; seq < head.seq; ) {
    const rows = await log.auditAfter(seq, PAGE);
    if (rows.length === 0) throw rewritten(`has no entry ${seq + 1}`, before, head);
    for (const row of rows) {
      const isNext = row.seq === seq + 1 && (pruned.add(row) || row.hash === chainHash(hash, row.body));
      if (!isNext) throw rewritten(`does not continue at entry ${seq + 1}`, before, head);
      ({ seq, hash } = row);
      frontier = appendLeaf(frontier, hash);
      const change = keyChangeOf(row.seq, row.body);
      if (change !== undefined) keys = nextKeys(keys, change, head.origin) ?? keys;
    }
  }
  const [removed] = pruned.unrecorded();
  if (removed !== undefined)
    throw rewritten(`has no record of the pruning of entry ${removed.first}`, before, head);
  if (hash !== head.hash || rootOf(frontier) !== rootOf(head.frontier))
    throw rewritten("does not continue the log seen before", before, head);
  const { root } = seen.keys;
  if (root !== undefined && root !== keys.root && keys.root !== ownKey) throw newRoot(root, keys.root);
  return keys;
}

/** Parses only the rare entries that can be key changes. */
export function keyChangeOf(seq: number, body: string): AuditKeyChange | undefined {
  if (!body.includes('"audit.key_changed"')) return undefined;
  try {
    const event = SkillEvent.safeParse(JSON.parse(body)).data;
    return event?.type === "audit.key_changed" ? { seq, event } : undefined;
  } catch {
    // Verification reports a body that is not JSON.
    return undefined;
  }
}

function isSameHead(one: AuditHead, other: AuditHead): boolean {
  return (
    one.origin === other.origin &&
    one.seq === other.seq &&
    one.hash === other.hash &&
    one.note === other.note &&
    // Equal subtrees make equal roots, without hashing.
    one.frontier.size === other.frontier.size &&
    one.frontier.roots.join() === other.frontier.roots.join()
  );
}

function addedKey(key: string, at: string): KeyChange {
  return { type: "audit.key_changed", at, by: systemActor, key, change: "added" };
}

function checkpointOf({ origin, seq, frontier }: AuditHead): Checkpoint {
  return { origin, size: seq, root: rootOf(frontier) };
}

const ADOPT =
  "Run `skillhold audit verify` and find the cause. If you restored a backup or lost the key, run `skillhold audit adopt`.";

function rewritten(problem: string, seen: AuditHead, head: AuditHead): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The audit log ${problem}, so it accepts no new events.`, {
    hint: ADOPT,
    details: { seen: seen.seq, head: head.seq },
  });
}

function unsigned({ seq }: AuditHead): SkillError {
  return new SkillError(
    "INTEGRITY_FAILED",
    `No registered key signed the audit log at entry ${seq}, so it accepts no new events.`,
    { hint: ADOPT, details: { head: seq } },
  );
}

function newRoot(before: string, now: string | undefined): SkillError {
  return new SkillError(
    "INTEGRITY_FAILED",
    `The root key of the audit log changed from ${before} to ${now ?? "none"}, so it accepts no new events.`,
    { hint: ADOPT, details: { before, now } },
  );
}

function unregistered(key: string): SkillError {
  return new SkillError("CONFIG_INVALID", `The audit log does not accept this machine's key, ${key}.`, {
    hint: `On a machine with an accepted key, run \`skillhold audit trust ${key}\`. Or start both with the same key file and --audit-key.`,
    details: { key },
  });
}

function unendorsed({ event }: AuditKeyChange): SkillError {
  return new SkillError("CONFIG_INVALID", `No accepted key endorsed the change of ${event.key}.`, {
    details: { key: event.key },
  });
}
