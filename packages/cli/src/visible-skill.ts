import { pinOf } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { discloseAccess, notFound, oversees } from "@skillhold/registry/access";
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
  /** The only revision that the user may see; undefined without a pin. */
  readonly pin: number | undefined;
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
  const grants = await context.store.listGrants([skill.uid]);
  if (oversees(skill, grants, actor)) return { skill, isManaged: true, pin: undefined };
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
  // A person reads about the skills of every runtime, on every machine.
  const viewer = { runtime: ANY_RUNTIME, invoker: "any", user: actor.user } as const;
  const { access, disclosure } = await discloseAccess(id, viewer, host, context);
  if (disclosure === "none") throw notFound(id);
  const { reason, message } = access;
  if (disclosure === "details" || reason === "unsupported")
    return { skill, isManaged: false, pin: pinOf(skill.id, viewer, { grants }) };
  throw new SkillError("SKILL_NOT_FOUND", `The skill ${skill.id} is not in use. ${message}`, {
    hint: "An administrator can still see it with --role admin.",
    details: { id: skill.id },
  });
}

/** Rejects revisions that a pin hides, as if they did not exist. */
export function rejectUnpinned(
  { skill: { id }, pin }: VisibleSkill,
  ...revisions: readonly (number | undefined)[]
): void {
  const hidden = revisions.find((revision) => revision !== undefined && revision !== pin);
  if (pin === undefined || hidden === undefined) return;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision ${hidden}.`, {
    hint: `Run \`skillhold versions ${id}\` to list the revisions.`,
    details: { id, revision: hidden },
  });
}

/** An export has the whole history, so a user with a pin gets none. */
export async function getExportable(id: string, acting: ActorContext, io: Place): Promise<VisibleSkill> {
  const found = await getVisibleSkill(id, acting, io);
  if (found.pin === undefined) return found;
  throw new SkillError(
    "POLICY_DENIED",
    `You may use only revision ${found.pin} of ${id}, and an export has all revisions.`,
    { hint: "Ask a manager of the skill for a grant without a pin.", details: { id, pin: found.pin } },
  );
}

/** Whether `getVisibleSkill` finds the skill. */
export async function isSkillVisible(id: string, acting: ActorContext, io: Place): Promise<boolean> {
  return await succeeds(() => getVisibleSkill(id, acting, io));
}

/** Whether `getExportable` returns the skill. */
export async function isExportable(id: string, acting: ActorContext, io: Place): Promise<boolean> {
  return await succeeds(() => getExportable(id, acting, io));
}

async function succeeds(find: () => Promise<VisibleSkill>): Promise<boolean> {
  try {
    await find();
    return true;
  } catch (error) {
    if (error instanceof SkillError && REFUSALS.has(error.code)) return false;
    throw error;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(["SKILL_NOT_FOUND", "POLICY_DENIED"]);
