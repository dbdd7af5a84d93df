import { SkillError } from "@skillhold/protocol/error";

const MAX_CAUSES = 8;
const SQLITE_FULL = 13;
const POSTGRES_FULL = "53100";
const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", POSTGRES_FULL]);

/** Whether a failure, or its cause, is a disk or a quota without free space. */
export function isDiskFull(error: unknown): boolean {
  let each = error;
  for (let depth = 0; depth < MAX_CAUSES && each instanceof Error; depth += 1) {
    if (each instanceof SkillError && each.code === "DISK_FULL") return true;
    if ("code" in each && FULL.has(each.code)) return true;
    if ("errcode" in each && (Number(each.errcode) & 0xff) === SQLITE_FULL) return true;
    each = each.cause;
  }
  return false;
}

/** The failure of a write without free space. */
export function diskFull(place: string, cause: unknown): SkillError {
  return new SkillError("DISK_FULL", `${place} has no free space.`, { details: { place }, cause });
}
