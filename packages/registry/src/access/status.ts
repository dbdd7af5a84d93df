import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { statusEvent } from "../ownership/access-event.ts";
import { getManaged, type ManagedChange } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { checkText } from "../record/text-field.ts";
import { rejectDeleted } from "../release/rollback.ts";

export interface StatusChange {
  readonly skill: RegisteredSkill;
  readonly status: "archived" | "unarchived" | "unchanged";
}

const MAX_REASON = 500;

/** Archives a skill for a reason, until a person unarchives it or publishes a new revision. */
export async function archiveSkill(
  idOrUid: string,
  { by, seen, reason }: ManagedChange & { readonly reason: string },
  { store, clock }: RegistryContext,
): Promise<StatusChange> {
  const words = checkText("reason", reason, MAX_REASON);
  // Skills archived for missing dependencies return automatically.
  if (words.toLowerCase() === "deps")
    throw new SkillError("USAGE", "The reason deps is reserved for dependency checks.", {
      hint: "Describe in a few words why the skill should not be used.",
    });
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx, seen);
    rejectDeleted(skill);
    if (skill.status === "archived" && skill.reason === words) return { skill, status: "unchanged" };
    const updatedAt = clock.now().toISOString();
    const archived: RegisteredSkill = { ...skill, status: "archived", reason: words, updatedAt };
    return { skill: await putStatus(archived, by, tx), status: "archived" };
  });
}

/** Missing dependencies are still reported when the skill is used. */
export async function unarchiveSkill(
  idOrUid: string,
  { by, seen }: ManagedChange,
  { store, clock }: RegistryContext,
): Promise<StatusChange> {
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx, seen);
    rejectDeleted(skill);
    if (skill.status === "active") return { skill, status: "unchanged" };
    const updatedAt = clock.now().toISOString();
    const active: RegisteredSkill = { ...skill, status: "active", reason: undefined, updatedAt };
    return { skill: await putStatus(active, by, tx), status: "unarchived" };
  });
}

async function putStatus(
  skill: RegisteredSkill,
  by: Actor,
  tx: RegistryTransaction,
): Promise<RegisteredSkill> {
  await tx.putSkill(skill);
  await tx.append(statusEvent(skill, by));
  return skill;
}
