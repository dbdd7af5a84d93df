import { nodeHost } from "@skillhold/core/source";
import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { discloseAccess, listGrants } from "@skillhold/registry/access";
import type { RegisteredSkill, RegistryContext } from "@skillhold/registry/record";
import { getSkill } from "@skillhold/registry/release";
import { ANY_RUNTIME } from "@skillhold/skill";
import type { Io } from "./terminal/output.ts";

/** The registry and the acting user. */
export interface ActorContext {
  readonly context: RegistryContext;
  readonly actor: Actor;
}

type Place = Pick<Io, "env" | "cwd">;

/** A skill that the user may see, and whether they may manage it. */
export interface VisibleSkill {
  readonly skill: RegisteredSkill;
  readonly isManaged: boolean;
}

/**
 * Finds a skill that the user manages or may use; a deleted skill only for its managers. Any other skill is reported as
 * missing.
 */
export async function getVisibleSkill(
  id: string,
  { context, actor }: ActorContext,
  io: Place,
): Promise<VisibleSkill> {
  const skill = await getSkill(id, context);
  const refusal = await refuseUnmanaged(id, { context, actor });
  if (refusal === undefined) return { skill, isManaged: true };
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
  // A person reads about the skills of every runtime, on every machine.
  const viewer = { runtime: ANY_RUNTIME, invoker: "any", user: actor.user } as const;
  const { access, disclosure } = await discloseAccess(id, viewer, host, context);
  if (disclosure === "none") throw refusal;
  const { reason, message } = access;
  if (disclosure === "details" || reason === "unsupported") return { skill, isManaged: false };
  throw new SkillError("SKILL_NOT_FOUND", `The skill ${skill.id} is not in use. ${message}`, {
    hint: "An administrator can still see it with --role admin.",
    details: refusal.details,
  });
}

/** Whether `getVisibleSkill` finds the skill. */
export async function isSkillVisible(id: string, acting: ActorContext, io: Place): Promise<boolean> {
  try {
    await getVisibleSkill(id, acting, io);
    return true;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return false;
    throw error;
  }
}

/** The not-found error when the user does not manage the skill, otherwise undefined. */
async function refuseUnmanaged(
  id: string,
  { context, actor }: ActorContext,
): Promise<SkillError | undefined> {
  try {
    await listGrants(id, { by: actor }, context);
    return undefined;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return error;
    throw error;
  }
}
