import { messageOf } from "../shared/script-error.ts";

/** SKILL.md taken apart. */
export interface SkillText {
  /** The fields; undefined when there is no frontmatter that can be read. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly body: string;
  /** What is wrong with the frontmatter as such. */
  readonly problem: string | undefined;
}

/** Reads the lines between the first `---` and the next as YAML of the plain kind: no tags, no anchors. */
export async function readFrontmatter(text: string): Promise<SkillText> {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return broken("The file does not start with a line of ---.", text);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end === -1) return broken("The frontmatter has no closing line of ---.", "");
  const body = lines.slice(end + 1).join("\n");
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(lines.slice(1, end).join("\n"), { schema: "core", uniqueKeys: true });
    const [error] = document.errors;
    if (error !== undefined) return broken(`The frontmatter is not YAML: ${firstLine(error.message)}`, body);
    const fields: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
      return broken("The frontmatter is not a list of fields.", body);
    }
    return { fields: { ...fields }, body, problem: undefined };
  } catch (error) {
    return broken(`The frontmatter cannot be read: ${firstLine(messageOf(error))}`, body);
  }
}

function broken(problem: string, body: string): SkillText {
  return { fields: undefined, body, problem };
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
}
