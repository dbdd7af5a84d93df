import type { Limits } from "@skillhold/protocol/limits";
import { isSkillId } from "../field/identity.ts";
import { fieldPosition, type ParsedSkill } from "../parse/parse.ts";
import type { Finding } from "../rule/finding.ts";
import { codePointLength } from "../text/text.ts";
import { findPinProblem, parseAllowedTools, splitAllowedTools } from "../tool-grant/index.ts";
import { isMap, textList } from "../yaml/value.ts";
import type { FindingList } from "./finding-list.ts";
import type { Subject } from "./subject.ts";

/** The six fields of the specification. */
export const standardFields: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
]);

/** The rules for all fields of the specification except the name. */
export function checkStandard(skill: ParsedSkill, limits: Limits, findings: FindingList): void {
  checkDescription(skill, limits, findings);
  checkCompatibility(skill, limits, findings);
  const { license, "allowed-tools": allowedTools } = skill.frontmatter;
  if (license !== undefined && typeof license !== "string") {
    report(findings, "LICENSE_NOT_STRING", skill, "license", "The field `license` is not text.");
  }
  if (allowedTools !== undefined && typeof allowedTools !== "string") {
    report(
      findings,
      "ALLOWED_TOOLS_NOT_STRING",
      skill,
      "allowed-tools",
      "The field `allowed-tools` is not text.",
    );
  }
  checkPrefixes(skill, findings);
  checkMetadata(skill, findings);
  if (!findings.reports("UNKNOWN_FIELDS")) return;
  const unknown = Object.keys(skill.frontmatter).filter((field) => !standardFields.has(field));
  if (unknown[0] !== undefined) {
    const names = unknown.map((field) => `\`${field}\``).join(", ");
    report(findings, "UNKNOWN_FIELDS", skill, unknown[0], `The specification has no field ${names}.`);
  }
}

/** A prefix of a program that starts others grants no command by itself: each one needs a person. */
function checkPrefixes(skill: ParsedSkill, findings: FindingList): void {
  if (skill.frontmatter["allowed-tools"] === undefined) return;
  const items = splitAllowedTools(textList(skill.frontmatter["allowed-tools"]));
  const { patterns } = parseAllowedTools(items.slice(0, 100));
  for (const pattern of patterns) {
    if (pattern.kind !== "command" || !pattern.isPrefix) continue;
    const problem = findPinProblem(pattern.words);
    if (problem === undefined) continue;
    const words = pattern.words.join(" ").slice(0, 200);
    const message = `The pattern \`${pattern.tool}(${words}:*)\` needs a person for each command: ${problem.slice(0, 300)}.`;
    report(findings, "ALLOWED_TOOLS_NO_LIMIT", skill, "allowed-tools", message);
  }
}

function checkDescription(skill: ParsedSkill, limits: Limits, findings: FindingList): void {
  const { description } = skill.frontmatter;
  if (description === undefined) {
    report(findings, "DESC_MISSING", skill, "description", "The required field `description` is missing.");
  } else if (typeof description !== "string") {
    report(findings, "DESC_NOT_STRING", skill, "description", "The field `description` must be text.");
  } else if (description.trim() === "") {
    report(findings, "DESC_EMPTY", skill, "description", "The field `description` is empty.");
  } else if (isLonger(description, limits.descriptionLength)) {
    const length = codePointLength(description);
    const message = `The description is ${length} characters long; at most ${limits.descriptionLength} are allowed.`;
    report(findings, "DESC_TOO_LONG", skill, "description", message);
  }
}

/** A code point has one or two UTF-16 units, so that most texts need no count. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && codePointLength(text) > most;
}

function checkCompatibility(skill: ParsedSkill, limits: Limits, findings: FindingList): void {
  const { compatibility } = skill.frontmatter;
  if (compatibility === undefined) return;
  if (typeof compatibility !== "string") {
    report(
      findings,
      "COMPATIBILITY_NOT_STRING",
      skill,
      "compatibility",
      "The field `compatibility` must be text.",
    );
  } else if (compatibility.trim() === "") {
    report(findings, "COMPATIBILITY_EMPTY", skill, "compatibility", "The field `compatibility` is empty.");
  } else if (isLonger(compatibility, limits.compatibilityLength)) {
    const length = codePointLength(compatibility);
    const message = `The compatibility is ${length} characters long; at most ${limits.compatibilityLength} are allowed.`;
    report(findings, "COMPATIBILITY_TOO_LONG", skill, "compatibility", message);
  }
}

function checkMetadata(skill: ParsedSkill, findings: FindingList): void {
  const { metadata } = skill.frontmatter;
  if (metadata === undefined || !findings.reports("METADATA_NOT_STRING_MAP")) return;
  if (!isMap(metadata)) {
    report(
      findings,
      "METADATA_NOT_STRING_MAP",
      skill,
      "metadata",
      "The field `metadata` is not a mapping of names to text.",
    );
    return;
  }
  const nested = Object.keys(metadata).filter((key) => typeof metadata[key] !== "string");
  const untyped = (skill.yaml?.untyped ?? []).filter((path) => !path.includes(".") && !nested.includes(path));
  const odd = [...nested, ...untyped];
  if (odd.length === 0) return;
  const names = odd.map((key) => `\`${key}\``).join(", ");
  report(
    findings,
    "METADATA_NOT_STRING_MAP",
    skill,
    "metadata",
    `Below \`metadata\`, ${names} is not a string for every YAML reader.`,
  );
}

function report(
  findings: FindingList,
  code: Finding["code"],
  skill: ParsedSkill,
  field: string,
  message: string,
): void {
  if (findings.reports(code)) findings.push({ code, ...fieldPosition(skill, field), message });
}

/**
 * The rules of a name. Letters and digits may be of any script, as in the reference implementation, and names are
 * compared after NFKC, so that composed and decomposed spellings are equal.
 */
export function checkSkillName(
  skill: ParsedSkill,
  subject: Subject,
  limits: Limits,
  findings: FindingList,
): void {
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
  if (name !== name.toLowerCase()) yield ["NAME_UPPERCASE", `The name ${quote(name)} must be lowercase.`];
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
