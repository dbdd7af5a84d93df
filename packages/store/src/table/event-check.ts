import { SkillEvent } from "@skillhold/protocol";
import { chainHash } from "@skillhold/registry/audit";
import type { AuditRow } from "@skillhold/registry/record";
import type { Queries } from "../engine/db.ts";
import { findEnd } from "./audit-head-table.ts";
import { auditAfter, copiesOf, logStart } from "./event-table.ts";

const PAGE = 1000;
const MAX_BROKEN = 1000;

/**
 * The numbers of events that are missing, whose hash does not follow from the one before, whose columns say something
 * else than their bodies, or that the head knows nothing of; at most a thousand.
 */
export async function listBrokenEvents(db: Queries): Promise<readonly number[]> {
  const broken = new Set<number>();
  // Others may append meanwhile: what this head promises is there, and what is there the next one must know.
  const promised = await findEnd(db);
  let last = logStart;
  for (let isOver = false; !isOver; ) {
    const page = await auditAfter(db, last.seq, PAGE);
    for (const row of page) {
      addRange(broken, last.seq + 1, row.seq - 1);
      // After a gap there is nothing to compare with.
      const isNext = row.seq === last.seq + 1;
      const isLinked = !isNext || row.hash === chainHash(last.hash, row.body);
      const isPromised = row.seq !== promised.seq || row.hash === promised.hash;
      if (!isLinked || !isPromised || !isTrueCopy(row)) broken.add(row.seq);
      last = row;
    }
    isOver = page.length < PAGE || broken.size >= MAX_BROKEN;
  }
  addRange(broken, last.seq + 1, promised.seq);
  addRange(broken, (await findEnd(db)).seq + 1, last.seq);
  return [...broken].sort((one, other) => one - other).slice(0, MAX_BROKEN);
}

function addRange(broken: Set<number>, from: number, to: number): void {
  for (let seq = from; seq <= to && broken.size < MAX_BROKEN; seq += 1) broken.add(seq);
}

function isTrueCopy(row: AuditRow): boolean {
  const event = SkillEvent.safeParse(parseJson(row.body)).data;
  if (event === undefined) return false;
  const { at, type, skill, session } = copiesOf(event);
  return row.at === at && row.type === type && row.skill === skill && row.session === session;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No event is undefined.
    return undefined;
  }
}
