import { isDeepStrictEqual } from "node:util";
import { settleStatus } from "@skillhold/core/dependency";
import type { Actor } from "@skillhold/protocol";
import { statusEvent } from "../ownership/access-event.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";

export interface SettleOptions {
  readonly by: Actor;
  /** Whether one that lacks something is archived for it; else it stays in use, with a warning. */
  readonly isArchived: boolean;
}

/**
 * Keeps what a check found a skill to miss on this machine, and answers with the row as it is then. What was archived
 * for that comes back when nothing is missing. It is about the revision that was looked at, and a skill that is off is
 * not checked: in any other case the row stays as it is.
 */
export async function settleMissing(
  checked: Pick<RegisteredSkill, "id" | "uid" | "revision">,
  missing: readonly string[],
  { by, isArchived }: SettleOptions,
  { store, clock }: Pick<RegistryContext, "store" | "clock">,
): Promise<RegisteredSkill | undefined> {
  const settle = (skill: RegisteredSkill | undefined) =>
    skill?.isEnabled !== true || skill.revision !== checked.revision || skill.status === "deleted"
      ? undefined
      : settledSkill(skill, missing, isArchived, clock.now().toISOString());
  const before = await store.findSkill(checked.uid);
  // Most checks find what was found before: they keep no writer waiting.
  if (settle(before) === undefined) return before;
  return await store.transaction(async (tx) => {
    await tx.lock(skillLock(checked.id));
    const skill = await tx.findSkill(checked.uid);
    const settled = settle(skill);
    if (settled === undefined) return skill;
    await tx.putSkill(settled);
    await tx.append(statusEvent(settled, by));
    return settled;
  });
}

/** The row after a check; undefined when that says nothing new. */
function settledSkill(
  skill: RegisteredSkill,
  missing: readonly string[],
  isArchived: boolean,
  updatedAt: string,
): RegisteredSkill | undefined {
  const current = {
    status: skill.status === "archived" ? "archived" : "active",
    ...(skill.reason === undefined ? {} : { reason: skill.reason }),
  } as const;
  const { status, reason } = settleStatus(current, {
    state: missing.length > 0 ? "missing" : "ok",
    missing,
    unknown: [],
    warnings: [],
    ...(missing.length > 0 && isArchived ? { archived: "deps" } : {}),
  });
  const settled = { ...skill, status, reason, missing };
  return isDeepStrictEqual(settled, skill) ? undefined : { ...settled, updatedAt };
}
