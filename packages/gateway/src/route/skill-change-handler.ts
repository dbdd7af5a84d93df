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
import { isAdministrator, type Principal, principalActor } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import { withDependencies } from "../dependency/dependency-context.ts";
import { checkFolder } from "../dependency/install-target.ts";
import type { CheckedSkill } from "../dependency/skill-checks.ts";
import { rejectStale } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { type DisclosedSkill, getDisclosedSkill } from "../skill/disclosed-skill.ts";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";
import { etagOf, rowsOf } from "./skill-row.ts";

type ChangeOperation = "updateSkill" | "deleteSkill" | "restoreSkill" | "toggleSkill" | "setStatus";

/** Changes to a skill that do not change its content. */
export const skillChangeHandlers: Pick<Handlers, ChangeOperation> = {
  updateSkill,
  deleteSkill,
  restoreSkill,
  toggleSkill,
  setStatus,
};

interface ChangeCall {
  readonly params: { readonly id: string };
  readonly principal: Principal;
  readonly headers: Headers;
}

/** The skill that If-Match names; undefined without the header. Contract: the change rejects any other state. */
export async function findExpected(
  { params, principal, headers }: ChangeCall,
  context: CatalogueContext,
): Promise<RegisteredSkill | undefined> {
  if (headers.get("if-match") === null) return undefined;
  const skill = await getDisclosedSkill(params.id, { principal }, context);
  rejectStale(headers, etagOf(skill));
  return skill.held?.current.skill;
}

/** Changes a skill of the registry. For a visible skill in a folder, the error says that it is in a folder. */
export async function changeRegistered<T>(
  { params, principal }: ChangeCall,
  change: () => Promise<T>,
  context: CatalogueContext,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== "SKILL_NOT_FOUND") throw error;
    const skill = await getDisclosedSkill(params.id, { principal }, context);
    if (skill.held !== undefined) throw error;
    throw new SkillError(
      "CONFLICT",
      `The skill ${params.id} is in a folder of the gateway and cannot be changed here.`,
      {
        hint: "Edit it in its folder, or publish it to the registry.",
        details: { id: params.id },
      },
    );
  }
}

async function updateSkill(
  call: Call<"updateSkill">,
  context: CatalogueContext,
): Promise<Reply<"updateSkill">> {
  const { params, principal } = call;
  const seen = await findExpected(call, context);
  const { name, description, tags, visibility } = call.body;
  const edit: SkillEdit = {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
    ...(visibility === undefined ? {} : { visibility }),
  };
  const by = principalActor(principal);
  const change = () => editSkill(params.id, edit, { by, seen }, context.registry);
  const { skill, status } = await changeRegistered(call, change, context);
  // The ETag is read before the row, so it is never newer than the row.
  const etag = etagOf(await getDisclosedSkill(params.id, { principal }, context));
  const viewer = await requestViewer(principal, {}, context);
  const [row] = rowsOf(await context.skills.survey(viewer, [skill.id]), { principal, viewer }, context);
  if (row === undefined) throw noSkill(params.id);
  return { data: { row, status }, etag };
}

async function deleteSkill(
  call: Call<"deleteSkill">,
  context: CatalogueContext,
): Promise<Reply<"deleteSkill">> {
  const seen = await findExpected(call, context);
  const by = principalActor(call.principal);
  const change = () => deleteFrom(call.params.id, { by, seen }, context.registry);
  const { id, uid, status } = await changeRegistered(call, change, context);
  return { data: { id, uid, status } };
}

async function restoreSkill(
  call: Call<"restoreSkill">,
  context: CatalogueContext,
): Promise<Reply<"restoreSkill">> {
  const seen = await findExpected(call, context);
  const by = principalActor(call.principal);
  const change = () => restoreIn(call.params.id, { by, seen }, context.registry);
  const { id, uid, status } = await changeRegistered(call, change, context);
  return { data: { id, uid, status } };
}

async function setStatus(call: Call<"setStatus">, context: CatalogueContext): Promise<Reply<"setStatus">> {
  const { params, body } = call;
  const seen = await findExpected(call, context);
  const by = principalActor(call.principal);
  const { reason = "No reason was given" } = body;
  const change = () =>
    body.status === "archived"
      ? archiveSkill(params.id, { by, seen, reason }, context.registry)
      : unarchiveSkill(params.id, { by, seen }, context.registry);
  const { skill } = await changeRegistered(call, change, context);
  return { data: { id: skill.id, status: skill.status, missing: skill.missing } };
}

async function toggleSkill(
  call: Call<"toggleSkill">,
  context: CatalogueContext,
): Promise<Reply<"toggleSkill">> {
  const { params, body, principal } = call;
  const by = principalActor(principal);
  if (await isInFolder(call, context)) {
    const seen = await findExpectedToggle(call, context);
    const change = { by, seen };
    const { id, isEnabled } = await toggleFolderSkill(params.id, body.enabled, change, context.registry);
    const { missing, error } = await checkEnabled(id, isEnabled, principal, context);
    const warnings = error === undefined ? [] : [error];
    return { data: { ok: true, id, enabled: isEnabled, status: "active", missing, warnings } };
  }
  const seen = await findExpected(call, context);
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

/** Enabling a skill checks its dependencies again, where this gateway can. */
async function checkEnabled(
  id: string,
  isEnabled: boolean,
  principal: Principal,
  context: CatalogueContext,
): Promise<Pick<CheckedSkill, "missing" | "error">> {
  if (!isEnabled || context.dependencies === undefined || context.work === undefined) return { missing: [] };
  const viewer = await requestViewer(principal, {}, context);
  return await checkFolder(id, viewer, withDependencies(context));
}

/** The toggle of a folder's skill that If-Match names; undefined without the header. */
async function findExpectedToggle(
  { params, principal, headers }: ChangeCall,
  context: CatalogueContext,
): Promise<{ readonly toggle: FolderToggle | undefined } | undefined> {
  if (headers.get("if-match") === null) return undefined;
  // The toggle is read first: a later toggle must make the change fail.
  const toggle = (await context.registry.store.listToggles()).find(({ id }) => id === params.id);
  const skill = await getDisclosedSkill(params.id, { principal }, context);
  rejectStale(headers, etagOf(skill, await findTreeHash(skill, context)));
  return { toggle };
}

/** Undefined for a hidden skill: it has no ETag because it is shown to no client. */
async function findTreeHash(
  { access, from, viewer }: DisclosedSkill,
  { fileList }: CatalogueContext,
): Promise<string | undefined> {
  if (!access.isVisible) return undefined;
  try {
    return (await fileList(from, viewer, access.entry.id)).treeHash;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return undefined;
    throw error;
  }
}

/** Only administrators switch skills in the gateway's folders. */
async function isInFolder({ params, principal }: ChangeCall, context: CatalogueContext): Promise<boolean> {
  const id = await skillIdOf(params.id, context);
  if (id !== params.id) return false;
  const [access] = await context.library.survey(await requestViewer(principal, {}, context), [id]);
  if (access === undefined || access.entry.revision !== undefined) return false;
  if (isAdministrator(principal)) return true;
  if (!access.isVisible) throw noSkill(params.id);
  throw new SkillError(
    "POLICY_DENIED",
    `Only administrators can enable or disable ${id}, which is in a folder of the gateway.`,
    {
      hint: "Ask an administrator.",
      details: { id },
    },
  );
}
