import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor, notFound, oversees, rejectAgentActor } from "../ownership/ownership.ts";
import { skillLock } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { rejectDeleted } from "../release/rollback.ts";

const MOST_APPROVERS = 50;

/** Who answers the approval questions of a skill. */
export interface SkillApprovers {
  readonly id: string;
  /** The named users, in order; empty when the owner and the managers answer. */
  readonly approvers: readonly string[];
}

/** For administrators and the managers of the skill. */
export async function listApprovers(
  idOrUid: string,
  { by }: { readonly by: Actor },
  { store }: Pick<RegistryContext, "store">,
): Promise<SkillApprovers> {
  const skill = isAgentActor(by) ? undefined : await store.findSkill(idOrUid);
  if (skill === undefined || !oversees(skill, await store.listGrants([skill.uid]), by))
    throw notFound(idOrUid);
  return { id: skill.id, approvers: await store.listApprovers(skill.uid) };
}

/**
 * Names the users who answer the questions of a skill, beside the administrators. An empty list returns this to the owner
 * and the managers. Only for administrators: otherwise the owner could undo a stricter list.
 */
export async function setApprovers(
  idOrUid: string,
  users: readonly string[],
  { by }: { readonly by: Actor },
  { store, clock }: Pick<RegistryContext, "store" | "clock">,
): Promise<SkillApprovers> {
  rejectAgentActor(by);
  if (by.role !== "admin")
    throw new SkillError("POLICY_DENIED", "Only administrators can name the approvers of a skill.", {
      hint: "Ask an administrator. A grant with manage rights also lets a user answer.",
    });
  const approvers = [...new Set(users)].sort();
  if (approvers.length > MOST_APPROVERS)
    throw new SkillError("USAGE", `A skill can have ${MOST_APPROVERS} approvers, not ${approvers.length}.`);
  return await store.transaction(async (tx) => {
    const found = await tx.findSkill(idOrUid);
    if (found === undefined) throw notFound(idOrUid);
    await tx.lock(skillLock(found.id));
    const skill = (await tx.findSkill(found.uid)) ?? found;
    rejectDeleted(skill);
    const before = await tx.listApprovers(skill.uid);
    if (before.join("\n") === approvers.join("\n")) return { id: skill.id, approvers };
    await rejectUnknown(approvers, tx);
    await tx.putApprovers(skill.uid, approvers);
    const at = clock.now().toISOString();
    await tx.append({ type: "skill.approvers_changed", at, skill: skill.id, by, approvers });
    return { id: skill.id, approvers };
  });
}

/** A misspelled name would leave the skill without an approver. */
async function rejectUnknown(users: readonly string[], tx: RegistryTransaction): Promise<void> {
  for (const name of users)
    if ((await tx.findUser(name)) === undefined)
      throw new SkillError("USER_NOT_FOUND", `There is no user ${name.slice(0, 80)}.`, {
        details: { user: name.slice(0, 80) },
      });
}
