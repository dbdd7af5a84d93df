import type { Limits } from "@skillhold/protocol/limits";
import type { Finding } from "./finding.ts";
import { isSkillId } from "./identity.ts";
import { fieldPosition, type ParsedSkill } from "./parse.ts";
import type { Subject } from "./subject.ts";
import { codePointLength } from "./text.ts";

/**
 * The rules of a name. Letters and digits are those of any script, as in the reference implementation, and are
 * compared after NFKC, so that a composed and a decomposed spelling are one name.
 */
export function checkName(skill: ParsedSkill, subject: Subject, limits: Limits, findings: Finding[]): void {
  const { name } = skill.frontmatter;
  const { folder } = subject;
  if (typeof name === "string" && isSkillId(name) && (folder === undefined || folder === name)) return;
  const at = fieldPosition(skill, "name");
  if (name === undefined) {
    findings.push({ code: "NAME_MISSING", ...at, message: "The required field `name` is missing." });
    return;
  }
  if (typeof name !== "string") {
    findings.push({ code: "NAME_NOT_STRING", ...at, message: "The field `name` must be text." });
    return;
  }
  const normal = name.trim().normalize("NFKC");
  if (normal === "") {
    findings.push({ code: "NAME_EMPTY", ...at, message: "The field `name` is empty." });
    return;
  }
  for (const [code, message] of nameFaults(normal, limits)) findings.push({ code, ...at, message });
  if (folder !== undefined && folder.normalize("NFKC") !== normal) {
    findings.push({
      code: "NAME_DIR_MISMATCH",
      ...at,
      message: `The folder ${quote(folder)} and the name ${quote(name)} differ.`,
    });
  }
}

function* nameFaults(name: string, limits: Limits): Generator<[Finding["code"], string]> {
  const length = codePointLength(name);
  if (length > limits.nameLength)
    yield [
      "NAME_TOO_LONG",
      `The name is ${length} characters long; at most ${limits.nameLength} are allowed.`,
    ];
  if (name !== name.toLowerCase()) yield ["NAME_UPPERCASE", `The name ${quote(name)} must be lower-case.`];
  if (name.startsWith("-") || name.endsWith("-"))
    yield ["NAME_HYPHEN_EDGE", "The name starts or ends with a hyphen."];
  if (name.includes("--")) yield ["NAME_DOUBLE_HYPHEN", "The name has two hyphens in a row."];
  if (!/^[\p{L}\p{N}-]*$/u.test(name))
    yield [
      "NAME_BAD_CHARS",
      `The name ${quote(name)} has characters other than letters, digits and hyphens.`,
    ];
  if (/[^\0-\x7F]/.test(name))
    yield ["NAME_NOT_ASCII", `The name ${quote(name)} has letters other than a-z.`];
}

function quote(text: string): string {
  return JSON.stringify(text);
}
