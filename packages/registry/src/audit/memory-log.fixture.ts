import { generateKeyPairSync } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import type { AuditHead, AuditRow } from "../record/registry-store.ts";
import { canonicalJson } from "./canonical-json.ts";
import { CHAIN_START, chainHash } from "./chain.ts";
import { type CheckpointSigner, signCheckpoint, type TrustedKey } from "./checkpoint.ts";
import { ownActor } from "./event-actor.ts";
import { keyChangeOf } from "./log-guard.ts";
import { appendLeaf, emptyFrontier, rootOf } from "./merkle.ts";
import type { AuditReader } from "./verify.ts";

/** A log as stored. */
export interface StoredLog {
  readonly rows: readonly AuditRow[];
  readonly head: AuditHead | undefined;
}

export interface TestKey {
  readonly signer: CheckpointSigner;
  readonly trusted: TrustedKey;
}

export function makeKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    signer: { name: "skillhold", key: privateKey },
    trusted: { name: "skillhold", key: publicKey },
  };
}

/** A log with these bodies: numbered, chained and with a head. */
export function makeLog(bodies: readonly string[], origin: string, signer?: CheckpointSigner): StoredLog {
  const rows: AuditRow[] = [];
  let hash = CHAIN_START;
  let frontier = emptyFrontier;
  const sessions = new Map<string, Pick<AuditRow, "agent" | "person">>();
  for (const body of bodies) {
    hash = chainHash(hash, body);
    frontier = appendLeaf(frontier, hash);
    const columns = columnsOf(body);
    const known = sessions.get(columns.session ?? "");
    const actor = actorIn(body) ?? known ?? {};
    if (columns.session !== undefined && known === undefined) sessions.set(columns.session, actor);
    rows.push({ seq: rows.length + 1, ...columns, ...actor, body, hash });
  }
  if (rows.length === 0) return { rows, head: undefined };
  const checkpoint = { origin, size: frontier.size, root: rootOf(frontier) };
  const note = signer && signCheckpoint(checkpoint, signer);
  return { rows, head: { origin, seq: rows.length, hash, frontier, note } };
}

/** The columns of a body. */
export function columnsOf(body: string): Pick<AuditRow, "at" | "type" | "skill" | "session"> {
  const { at, type, skill, session } = JSON.parse(body);
  return { at, type, skill, session };
}

/** The actor that a body names itself. */
function actorIn(body: string): Pick<AuditRow, "agent" | "person"> | undefined {
  const event = SkillEvent.safeParse(JSON.parse(body)).data;
  const own = event && ownActor(event);
  if (own === undefined) return undefined;
  const { agent, person } = own;
  return { ...(agent === null ? {} : { agent }), ...(person === null ? {} : { person }) };
}

export function readerOf({ rows, head }: StoredLog): AuditReader {
  return {
    auditAfter: async (seq, limit) => rows.filter((row) => row.seq > seq).slice(0, limit),
    auditKeys: async () => rows.flatMap(({ seq, body }) => keyChangeOf(seq, body) ?? []),
    findHead: async () => head,
  };
}

/** Events of several types and sessions. */
export function makeEvent(index: number): SkillEvent {
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const session = `session-${index % 3}`;
  const use = { at, session, skill: `skill-${index % 5}`, hash: digest(index) };
  switch (index % 4) {
    case 0:
      return SkillEvent.parse({
        type: "session.opened",
        at,
        session,
        runtime: "test",
        user: `user-${index % 3}`,
      });
    case 1:
      return SkillEvent.parse({
        type: "skill.resource_read",
        ...use,
        path: "a.md",
        digest: digest(1),
        start: index,
      });
    case 2:
      return SkillEvent.parse({
        type: "skill.denied",
        at,
        session,
        skill: `no\u00e9 skill ${index}`,
        act: "activate",
        reason: "SKILL_NOT_FOUND",
        message: "",
      });
    default:
      return SkillEvent.parse({
        type: "skill.deleted",
        at,
        skill: `skill-${index % 5}`,
        by: { user: "ada", role: "admin" },
        revision: index,
      });
  }
}

export function makeBodies(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => canonicalJson(makeEvent(index)));
}

function digest(number: number): string {
  return `sha256:${number.toString(16).padStart(64, "0")}`;
}
