import { isDeepStrictEqual } from "node:util";
import type { Actor, SkillId, SkillStatus } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillId, parseSkill } from "@skillhold/skill";
import {
  changedMeanwhile,
  getManaged,
  type ManagedChange,
  rejectAgentActor,
  rejectChanged,
} from "../ownership/ownership.ts";
import type { FolderToggle } from "../record/grant.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { ExportMeter, loadSkill } from "../release/load-skill.ts";
import { rejectDeleted } from "../release/rollback.ts";
import { settleMissing } from "../release/settle.ts";
import { findSkillFile } from "../release/skill-file.ts";

export interface Toggled {
  readonly ok: true;
  readonly id: string;
  readonly uid: string;
  readonly enabled: boolean;
  readonly status: SkillStatus;
  readonly reason: string | undefined;
  /** Dependencies that are missing on this machine, as `pip:name`. */
  readonly missing: readonly string[];
  /** Set when the dependencies could not be checked. */
  readonly warnings: readonly string[];
}

/**
 * Enables or disables a skill for everyone. Disabling hides it at once. Enabling checks the dependencies
 * again: the skill is archived if some are missing, and unarchived if it was archived for that and all are
 * present.
 */
export async function toggleSkill(
  idOrUid: string,
  isEnabled: boolean,
  { by, seen }: ManagedChange,
  context: RegistryContext,
): Promise<Toggled> {
  rejectAgentActor(by);
  const toggled = await context.store.transaction((tx) =>
    toggle(idOrUid, isEnabled, { by, seen }, tx, context),
  );
  if (!isEnabled) return describe(toggled, []);
  try {
    const missing = await findMissing(toggled, context);
    if (missing === undefined) return describe(toggled, []);
    const isArchived = !(await wasUnarchived(toggled.id, context));
    const settled = await settleMissing(toggled, missing, { by, isArchived }, context);
    return describe(settled ?? toggled, []);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "STORE_FAILED") throw error;
    return describe(toggled, [`The dependencies could not be checked: ${error.message}`]);
  }
}

/** Whether a person last unarchived the skill despite its missing dependencies, which then do not archive it again. */
async function wasUnarchived(id: string, { store }: RegistryContext): Promise<boolean> {
  const [last] = await store.eventsAbout(id, "skill.status_changed", 1);
  const event = last?.event;
  return event?.type === "skill.status_changed" && event.status === "active" && event.missing.length > 0;
}

async function toggle(
  idOrUid: string,
  isEnabled: boolean,
  { by, seen }: ManagedChange,
  tx: RegistryTransaction,
  { clock }: RegistryContext,
): Promise<RegisteredSkill> {
  const skill = await getSwitched(idOrUid, by, tx);
  rejectChanged(skill, seen);
  rejectDeleted(skill);
  if (skill.isEnabled === isEnabled) return skill;
  if (isEnabled) rejectOthersSwitch(await lastSwitch(skill.id, tx), by);
  const at = clock.now().toISOString();
  const toggled = { ...skill, isEnabled, updatedAt: at };
  await tx.putSkill(toggled);
  await tx.append({ type: "skill.toggled", at, skill: skill.id, by, isEnabled, scope: "registry" });
  return toggled;
}

/** The user who last toggled the skill, according to the log. */
async function lastSwitch(id: string, tx: RegistryTransaction): Promise<Switch> {
  for (const { event } of await tx.eventsAbout(id, "skill.toggled", RECENT))
    if (event.type === "skill.toggled" && event.scope === "registry") return { id, by: event.by.user };
  return { id, by: undefined };
}

/**
 * The number of events to search, because toggles of a folder skill with the same id may be in between. Beyond that
 * an administrator has to enable the skill.
 */
const RECENT = 20;

interface Switch {
  readonly id: string;
  readonly by: string | undefined;
}

/** Administrators may toggle system skills, which are read-only otherwise. */
async function getSwitched(idOrUid: string, by: Actor, tx: RegistryTransaction): Promise<RegisteredSkill> {
  const found = await tx.findSkill(idOrUid);
  if (found?.isSystem !== true) return await getManaged(idOrUid, by, tx);
  if (by.role !== "admin" && by.role !== "system")
    throw new SkillError("CONFLICT", `${found.id} is a system skill.`, {
      hint: "Only administrators can enable or disable system skills. On the command line, add --role admin.",
      details: { id: found.id },
    });
  await tx.lock(skillLock(found.id));
  return (await tx.findSkill(found.uid)) ?? found;
}

/** The missing dependencies; undefined without a checker. */
async function findMissing(
  skill: RegisteredSkill,
  context: RegistryContext,
): Promise<readonly string[] | undefined> {
  const { hooks, limits } = context;
  if (hooks?.missing === undefined) return undefined;
  const { revision, files } = await loadSkill(skill, new ExportMeter(limits), context);
  const content = findSkillFile(files)?.content ?? new Uint8Array();
  const { record, treeHash, skillHash, bytes, manifest } = revision;
  const { id } = skill;
  const parsed = parseSkill(content, limits);
  const staged: StagedSkill = {
    id,
    skill: parsed,
    record,
    treeHash,
    skillHash,
    files,
    bytes,
    omitted: [],
    diagnostics: [],
  };
  return await hooks.missing(staged, manifest);
}

function describe(skill: RegisteredSkill, warnings: readonly string[]): Toggled {
  const { id, uid, isEnabled, status, reason, missing } = skill;
  return { ok: true, id, uid, enabled: isEnabled, status, reason, missing, warnings };
}

/** Who toggles a skill in a folder, and optionally the toggle they read before. */
export interface FolderChange {
  readonly by: Actor;
  readonly seen?: { readonly toggle: FolderToggle | undefined } | undefined;
}

/** Enables or disables a skill in a folder for every library that uses this registry. */
export async function toggleFolderSkill(
  id: string,
  isEnabled: boolean,
  { by, seen }: FolderChange,
  { store, clock }: RegistryContext,
): Promise<FolderToggle> {
  rejectAgentActor(by);
  if (!isSkillId(id)) throw new SkillError("USAGE", `${JSON.stringify(id.slice(0, 80))} is not a skill id.`);
  return await store.transaction(async (tx) => {
    // A registry skill may have the same id; the lock keeps their toggles in order.
    await tx.lock(skillLock(id));
    const before = (await tx.listToggles()).find((each) => each.id === id);
    if (seen !== undefined && !isDeepStrictEqual(before, seen.toggle)) throw changedMeanwhile({ id });
    const at = clock.now().toISOString();
    const toggle = { id, isEnabled, by: by.user, at };
    if ((before?.isEnabled ?? true) === isEnabled) return before ?? toggle;
    if (before?.isEnabled === false) rejectOthersSwitch(before, by);
    await tx.putToggle(toggle);
    // Checked by `isSkillId` above.
    const skill = id as SkillId;
    await tx.append({ type: "skill.toggled", at, skill, by, isEnabled, scope: "folder" });
    return toggle;
  });
}

/** Only the user who disabled a skill, or an administrator, may enable it. */
function rejectOthersSwitch({ id, by }: Switch, { role, user }: Actor): void {
  if (by === user || role === "admin" || role === "system") return;
  throw new SkillError("POLICY_DENIED", `${by ?? "Another user"} disabled ${id}.`, {
    hint: "Ask that user or an administrator to enable it.",
    details: { id },
  });
}
