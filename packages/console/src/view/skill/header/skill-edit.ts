import type { CallInput } from "../../../api/client.ts";
import type { SkillDetail } from "../skill-view.ts";

export type SkillEdit = NonNullable<CallInput<"PUT /v1/skills/{id}">["body"]>;

/** The display fields of a skill as form text. */
export interface EditText {
  readonly name: string;
  readonly description: string;
  readonly tags: string;
  /** `private` means not public; the grants decide whether the skill is internal. */
  readonly visibility: "public" | "private";
}

export function textOf({ entry, registry }: Pick<SkillDetail, "entry" | "registry">): EditText {
  const { name, description, tags } = entry;
  const visibility = registry?.visibility === "public" ? "public" : "private";
  return { name, description, tags: tags.join(", "), visibility };
}

/** The request body: only the changed fields, with null for a cleared field so that the SKILL.md value applies. */
export function editOf(before: EditText, after: EditText): SkillEdit {
  const changed = <K extends keyof EditText>(field: K) => before[field].trim() !== after[field].trim();
  return {
    ...(changed("name") ? { name: after.name.trim() || null } : {}),
    ...(changed("description") ? { description: after.description.trim() || null } : {}),
    ...(changed("tags") ? { tags: tagsOf(after.tags) } : {}),
    ...(changed("visibility") ? { visibility: after.visibility } : {}),
  };
}

function tagsOf(text: string): string[] | null {
  const tags = text.split(",").map((tag) => tag.trim());
  const given = [...new Set(tags)].filter((tag) => tag !== "");
  return given.length === 0 ? null : given;
}
