import { didYouMean, suggest } from "@skillhold/core";
import type { RegisteredSkill, RegistryStore } from "@skillhold/core/registry";
import type { Actor } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";

interface Asked {
  readonly store: Pick<RegistryStore, "listSkills">;
  readonly actor: Actor;
  /** The options that name the store. */
  readonly flags: string;
}

/** The table's advice is for skills in folders; of a store it can be said which skills there are. */
export async function withStoreAdvice(error: unknown, asked: Asked): Promise<unknown> {
  if (!(error instanceof SkillError)) return error;
  const { code, message, details } = error;
  if (error.hint !== errorTable[code].hint) return error;
  const hint = await adviceFor(error, asked);
  return hint === undefined ? error : new SkillError(code, message, { hint, details, cause: error });
}

async function adviceFor(
  { code, details }: SkillError,
  { store, actor, flags }: Asked,
): Promise<string | undefined> {
  const id = typeof details["id"] === "string" ? details["id"] : "<id>";
  if (code === "REVISION_NOT_FOUND") return `\`skillhold versions ${id}${flags}\` lists the revisions.`;
  if (code === "INTEGRITY_FAILED") return `\`skillhold fsck${flags}\` says what is damaged.`;
  if (code !== "SKILL_NOT_FOUND") return undefined;
  const known = (await store.listSkills()).filter((skill) => isKnownTo(skill, actor));
  const near = suggest(
    id,
    known.map((skill) => skill.id),
  );
  if (known.length === 0) return "`skillhold publish <folder>` takes a skill in.";
  return didYouMean(near) ?? `\`skillhold list --source registry${flags}\` shows which there are.`;
}

/** Names of skills that are not for someone are not given away by a typing error. */
function isKnownTo({ owner, visibility }: RegisteredSkill, { user, role }: Actor): boolean {
  return role === "admin" || owner === user || visibility === "public";
}
