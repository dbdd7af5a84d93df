import { isDeepStrictEqual } from "node:util";
import { settleStatus } from "@skillhold/core/dependency";
import type { Actor } from "@skillhold/protocol";
import { statusEvent } from "../ownership/access-event.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";

export interface SettleOptions {
  readonly by: Actor;
  /** Whether a skill with missing dependencies is archived; otherwise it stays active with a warning. */
  readonly isArchived: boolean;
}

/**
 * Stores the missing dependencies that a check found and returns the current row. A skill that was archived for
 * missing dependencies becomes active when all of them are present. Ignored if the skill is disabled or deleted, or
 * if another revision became current meanwhile.
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
  // Most checks find no change, so they skip the write lock.
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

/** The row after a check; undefined if it did not change. */
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
