import type { AccessReason } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { OWN_RUNTIME } from "@skillhold/host/library";
import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { explainAccess, listGrants } from "@skillhold/registry/access";
import type { RegisteredSkill, RegistryContext } from "@skillhold/registry/record";
import { getSkill } from "@skillhold/registry/release";
import type { Io } from "./terminal/output.ts";

/** Who asks, of which registry. */
export interface ActorContext {
  readonly context: RegistryContext;
  readonly actor: Actor;
}

type Place = Pick<Io, "env" | "cwd">;

/** A skill that someone may know of, and whether it is theirs to manage. */
export interface VisibleSkill {
  readonly skill: RegisteredSkill;
  readonly isManaged: boolean;
}

/**
 * The skill, for someone who manages it or to whom the gate opens it; deleted ones only for the former. For anyone else
 * it is not there.
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
  const viewer = { runtime: OWN_RUNTIME, user: actor.user };
  const { reason, message, visibility } = await explainAccess(id, viewer, host, context);
  if (!closed.has(reason)) return { skill, isManaged: false };
  if (visibility !== "public") throw refusal;
  throw new SkillError("SKILL_NOT_FOUND", `The skill ${skill.id} is out of use. ${message}`, {
    hint: "An administrator can look at it all the same: --role admin.",
    details: refusal.details,
  });
}

/** The same as a question. */
export async function isSkillVisible(id: string, acting: ActorContext, io: Place): Promise<boolean> {
  try {
    await getVisibleSkill(id, acting, io);
    return true;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return false;
    throw error;
  }
}

/** What the gate says before and when it asks whose a skill is. All else it says of one that is the viewer's. */
const closed: ReadonlySet<AccessReason> = new Set(["not-allowed", "disabled", "archived", "no-grant"]);

/** The refusal of someone who does not manage the skill: in the words for one that is not there. */
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
