import { isDeepStrictEqual } from "node:util";
import type { Actor, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { codePointLength } from "@skillhold/skill";
import { getManaged, type ManagedChange, rejectChanged, visibilityWith } from "../ownership/ownership.ts";
import { skillLock } from "../record/lock.ts";
import type { RegisteredSkill, SkillOverride } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import { getRevisionOf } from "./revisions.ts";
import { rejectDeleted } from "./rollback.ts";

/** Fields that replace those of SKILL.md; null restores the original. */
export interface SkillEdit {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly tags?: readonly string[] | null;
  readonly visibility?: Visibility;
}

export interface Edited {
  readonly skill: RegisteredSkill;
  readonly status: "edited" | "unchanged";
}

/** Overrides the displayed fields of a skill. The next revision shows its own SKILL.md again. */
export async function editSkill(
  idOrUid: string,
  edit: SkillEdit,
  { by, seen }: ManagedChange,
  { store, clock, limits, publicBy = "admin" }: RegistryContext,
): Promise<Edited> {
  const checked = checkEdit(edit, limits);
  return await store.transaction(async (tx) => {
    const skill =
      (await findTagged(idOrUid, checked, { by, seen }, tx)) ?? (await getManaged(idOrUid, by, tx, seen));
    rejectDeleted(skill);
    const { record } = await getRevisionOf(skill, skill.revision, tx);
    const override = mergeOverride(skill.override, checked, record);
    const visibility = await checkVisibility(checked.visibility, skill, tx);
    if (visibility === "public" && skill.visibility !== "public") rejectPublic(skill.id, by, publicBy);
    if (isDeepStrictEqual(override, skill.override) && visibility === skill.visibility)
      return { skill, status: "unchanged" };
    const at = clock.now().toISOString();
    const edited = { ...skill, override, visibility, updatedAt: at };
    await tx.putSkill(edited);
    const fields = [
      ...fieldNames.filter((field) => override[field] !== undefined),
      ...(visibility === skill.visibility ? [] : ["visibility" as const]),
    ];
    await tx.append({ type: "skill.edited", at, skill: skill.id, by, fields, visibility });
    return { skill: edited, status: "edited" };
  });
}

/** A system skill, when an administrator changes only its tags; undefined for every other change. */
async function findTagged(
  idOrUid: string,
  { tags, ...others }: SkillEdit,
  { by, seen }: ManagedChange,
  tx: RegistryTransaction,
): Promise<RegisteredSkill | undefined> {
  if (by.role !== "admin" || tags === undefined || Object.keys(others).length > 0) return undefined;
  const found = await tx.findSkill(idOrUid);
  if (found?.isSystem !== true) return undefined;
  await tx.lock(skillLock(found.id));
  const skill = (await tx.findSkill(found.uid)) ?? found;
  rejectChanged(skill, seen);
  return skill;
}

/** A person chooses public or not; grants decide between private and internal. */
async function checkVisibility(
  wanted: Visibility | undefined,
  { id, uid, visibility }: RegisteredSkill,
  tx: RegistryTransaction,
): Promise<Visibility> {
  if (wanted === undefined || wanted === "public" || wanted === visibility) return wanted ?? visibility;
  const grants = (await tx.listGrants([uid])).length;
  if (wanted === visibilityWith(grants, "private")) return wanted;
  const message = grants === 0 ? "it has no grants" : "it has grants";
  throw new SkillError("CONFLICT", `The skill ${id} cannot be ${wanted}: ${message}.`, {
    hint:
      grants === 0
        ? "Grant the skill to an agent or a user to make it internal."
        : "Revoke its grants to make it private, or choose internal to keep them.",
    details: { id },
  });
}

function rejectPublic(id: string, { role }: Actor, publicBy: "admin" | "publisher"): void {
  if (role === "admin" || role === "system" || publicBy === "publisher") return;
  throw new SkillError("POLICY_DENIED", `Only administrators can make ${id} public.`, {
    hint: "Grant the skill to agents and users, or ask an administrator.",
    details: { id },
  });
}

const fieldNames = ["name", "description", "tags"] as const;
const MAX_TAGS = 64;
const MAX_TAG_LENGTH = 64;
const visibilities: ReadonlySet<string> = new Set<Visibility>(["private", "internal", "public"]);
/** Characters that do not belong in text; only descriptions may have line breaks. */
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Bidirectional controls and zero-width characters, which make one name look like another. */
const INVISIBLE = /\p{Cf}/u;

function checkEdit({ name, description, tags, visibility }: SkillEdit, limits: Limits): SkillEdit {
  const tagList = tags ?? [];
  if (typeof name === "string") checkText("name", name, limits.nameLength);
  if (typeof description === "string") checkText("description", description, limits.descriptionLength);
  if (tagList.length > MAX_TAGS) throw refuse(`The skill has more than ${MAX_TAGS} tags.`);
  for (const tag of tagList) checkText("tag", tag, MAX_TAG_LENGTH);
  if (visibility !== undefined && !visibilities.has(visibility))
    throw refuse("The visibility is not private, internal or public.");
  return {
    ...(name === undefined ? {} : { name: name?.trim() ?? null }),
    ...(description === undefined ? {} : { description: description?.trim() ?? null }),
    ...(tags === undefined ? {} : { tags: tags && [...new Set(tags.map((tag) => tag.trim()))] }),
    ...(visibility === undefined ? {} : { visibility }),
  };
}

function checkText(field: string, text: string, max: number): void {
  if (text.length > 4 * max || codePointLength(text.trim()) > max)
    throw refuse(`The ${field} is longer than ${max} characters.`);
  if (text.trim() === "") throw refuse(`The ${field} is empty.`);
  if (CONTROL.test(field === "description" ? text.replace(/[\t\r\n]/g, " ") : text))
    throw refuse(`The ${field} contains a line break, a control character or a lone surrogate.`);
  if (field !== "description" && INVISIBLE.test(text))
    throw refuse(`The ${field} contains an invisible or bidirectional control character.`);
}

function refuse(message: string): SkillError {
  return new SkillError("USAGE", message, { hint: "Correct the field and try again." });
}

/** The fields that differ from SKILL.md; equal fields are not overrides. */
function mergeOverride(
  before: SkillOverride,
  edit: SkillEdit,
  original: Required<SkillOverride>,
): SkillOverride {
  const name = edit.name === undefined ? before.name : edit.name;
  const description = edit.description === undefined ? before.description : edit.description;
  const tags = edit.tags === undefined ? before.tags : edit.tags;
  return {
    ...(isOther(name, original.name) ? { name } : {}),
    ...(isOther(description, original.description) ? { description } : {}),
    ...(isOther(tags, original.tags) ? { tags } : {}),
  };
}

function isOther<Value>(value: Value | null | undefined, original: Value): value is Value {
  if (value === null || value === undefined) return false;
  return JSON.stringify(value) !== JSON.stringify(original);
}
