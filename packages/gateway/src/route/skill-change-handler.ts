import { SkillError } from "@skillhold/protocol/error";
import {
  archiveSkill,
  toggleFolderSkill,
  toggleSkill as toggleIn,
  unarchiveSkill,
} from "@skillhold/registry/access";
import type { FolderToggle, RegisteredSkill } from "@skillhold/registry/record";
import {
  deleteSkill as deleteFrom,
  editSkill,
  restoreSkill as restoreIn,
  type SkillEdit,
} from "@skillhold/registry/release";
import { actorOf, isAdministrator, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import { rejectStale } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import type { RunningContext } from "../running-context.ts";
import { getKnown, type KnownSkill } from "./known-skill.ts";
import { readContent } from "./skill-content.ts";
import { noSkill, skillIdOf } from "./skill-key.ts";
import { etagOf, rowsOf } from "./skill-row.ts";

type ChangeOperation = "updateSkill" | "deleteSkill" | "restoreSkill" | "toggleSkill" | "setStatus";

/** What changes a skill, and not its content. */
export const skillChangeHandlers: Pick<Handlers, ChangeOperation> = {
  updateSkill,
  deleteSkill,
  restoreSkill,
  toggleSkill,
  setStatus,
};

interface Changing {
  readonly params: { readonly id: string };
  readonly principal: Principal;
  readonly headers: Headers;
}

/** How the caller last saw the skill, where they say so. Contract: the change refuses another one. */
export async function findSeen(
  { params, principal, headers }: Changing,
  context: RunningContext,
): Promise<RegisteredSkill | undefined> {
  if (headers.get("if-match") === null) return undefined;
  const known = await getKnown(params.id, { principal }, context);
  rejectStale(headers, etagOf(known));
  return known.held?.current.skill;
}

/** Changes a skill of the registry. One that lies in a folder, and is there for the caller, is refused as such. */
export async function changeIn<T>(
  { params, principal }: Changing,
  change: () => Promise<T>,
  context: RunningContext,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
    const known = await getKnown(params.id, { principal }, context);
    if (known.held !== undefined) throw error;
    throw new SkillError("CONFLICT", `The skill ${params.id} lies in a folder of the gateway's.`, {
      hint: "Change it in its folder, or publish it to the registry.",
      details: { id: params.id },
    });
  }
}

async function updateSkill(
  call: Call<"updateSkill">,
  context: RunningContext,
): Promise<Reply<"updateSkill">> {
  const { params, principal } = call;
  const seen = await findSeen(call, context);
  const { name, description, tags, visibility } = call.body;
  const edit: SkillEdit = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(visibility === undefined ? {} : { visibility }),
  };
  const by = actorOf(principal);
  const change = () => editSkill(params.id, edit, { by, seen }, context.registry);
  const { skill, status } = await changeIn(call, change, context);
  // Before the row is read: a tag is never of a later state than what is shown with it.
  const etag = etagOf(await getKnown(params.id, { principal }, context));
  const viewer = await viewerOf(principal, {}, context);
  const [row] = rowsOf(await context.skills.survey(viewer, [skill.id]), { principal, viewer }, context);
  if (row === undefined) throw noSkill(params.id);
  return { data: { row, status }, etag };
}

async function deleteSkill(
  call: Call<"deleteSkill">,
  context: RunningContext,
): Promise<Reply<"deleteSkill">> {
  const seen = await findSeen(call, context);
  const by = actorOf(call.principal);
  const change = () => deleteFrom(call.params.id, { by, seen }, context.registry);
  const { id, uid, status } = await changeIn(call, change, context);
  return { data: { id, uid, status } };
}

async function restoreSkill(
  call: Call<"restoreSkill">,
  context: RunningContext,
): Promise<Reply<"restoreSkill">> {
  const seen = await findSeen(call, context);
  const by = actorOf(call.principal);
  const change = () => restoreIn(call.params.id, { by, seen }, context.registry);
  const { id, uid, status } = await changeIn(call, change, context);
  return { data: { id, uid, status } };
}

async function setStatus(call: Call<"setStatus">, context: RunningContext): Promise<Reply<"setStatus">> {
  const { params, body } = call;
  const seen = await findSeen(call, context);
  const by = actorOf(call.principal);
  const { reason = "No reason was given" } = body;
  const change = () =>
    body.status === "archived"
      ? archiveSkill(params.id, { by, seen, reason }, context.registry)
      : unarchiveSkill(params.id, { by, seen }, context.registry);
  const { skill } = await changeIn(call, change, context);
  return { data: { id: skill.id, status: skill.status, missing: skill.missing } };
}

async function toggleSkill(
  call: Call<"toggleSkill">,
  context: RunningContext,
): Promise<Reply<"toggleSkill">> {
  const { params, body, principal } = call;
  const by = actorOf(principal);
  if (await isInFolder(call, context)) {
    const seen = await findSeenToggle(call, context);
    const change = { by, seen };
    const { id, isEnabled } = await toggleFolderSkill(params.id, body.enabled, change, context.registry);
    return { data: { ok: true, id, enabled: isEnabled, status: "active", missing: [], warnings: [] } };
  }
  const seen = await findSeen(call, context);
  const { ok, id, enabled, status, reason, missing, warnings } = await toggleIn(
    params.id,
    body.enabled,
    { by, seen },
    context.registry,
  );
  return {
    data: { ok, id, enabled, status, ...(reason === undefined ? {} : { reason }), missing, warnings },
  };
}

/** What was said of a folder's skill when the caller last saw it, where they say so. Contract: the switch refuses else. */
async function findSeenToggle(
  { params, principal, headers }: Changing,
  context: RunningContext,
): Promise<{ readonly toggle: FolderToggle | undefined } | undefined> {
  if (headers.get("if-match") === null) return undefined;
  // Before it is looked at: what is said of it while that is done makes it another one.
  const toggle = (await context.registry.store.listToggles()).find(({ id }) => id === params.id);
  const known = await getKnown(params.id, { principal }, context);
  rejectStale(headers, etagOf(known, await findTreeHash(known, context)));
  return { toggle };
}

/** Undefined for what is hidden in a folder, or was hidden just now: it is shown to nobody, and no tag stands for it. */
async function findTreeHash(known: KnownSkill, context: RunningContext): Promise<string | undefined> {
  if (!known.access.isVisible) return undefined;
  try {
    return (await readContent(known, context)).treeHash;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Folders are the gateway's own: what is in them is an administrator's to switch. */
async function isInFolder({ params, principal }: Changing, context: RunningContext): Promise<boolean> {
  const id = await skillIdOf(params.id, context);
  if (id !== params.id) return false;
  const [access] = await context.library.survey(await viewerOf(principal, {}, context), [id]);
  if (access === undefined || access.entry.revision !== undefined) return false;
  if (isAdministrator(principal)) return true;
  if (!access.isVisible) throw noSkill(params.id);
  throw new SkillError("POLICY_DENIED", `The skill ${id} lies in a folder of the gateway's.`, {
    hint: "Ask an administrator to switch it.",
    details: { id },
  });
}
