import type { Diagnostic } from "@skillhold/protocol";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { bodyLine, type ParsedSkill, parseSkill } from "../parse/parse.ts";
import type { Finding } from "../rule/finding.ts";
import { type Profile, ruleTable, severityOf } from "../rule/rule-table.ts";
import { countLines } from "../text/text.ts";
import { estimateTokens } from "../text/token.ts";
import { checkExtension } from "./extension.ts";
import { FindingList } from "./finding-list.ts";
import { checkSkillName, checkStandard } from "./standard.ts";
import type { Subject } from "./subject.ts";

export interface Validation {
  /** True when no diagnostic is an error. */
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Validates a skill against a profile. The findings are the same in every profile; their severities differ. */
export function validateSkill(
  skill: ParsedSkill,
  subject: Subject,
  profile: Profile,
  limits: Limits = defaultLimits,
): Validation {
  const findings = new FindingList(profile);
  for (const finding of skill.findings) findings.push(finding);
  for (const finding of subject.findings ?? []) findings.push(finding);
  check(skill, subject, limits, findings);
  return judge(findings, profile);
}

/** `validateSkill` for a text without a folder. */
export function validateText(text: string | Uint8Array, profile: Profile, subject: Subject = {}): Validation {
  return validateSkill(parseSkill(text), subject, profile);
}

/** Converts findings to diagnostics, sorted by position. Drops findings that the profile does not report. */
export function judge(findings: Iterable<Finding>, profile: Profile): Validation {
  const diagnostics: Diagnostic[] = [];
  for (const { code, line, column, message, fix, file } of findings) {
    const severity = severityOf(code, profile);
    if (severity === undefined) continue;
    const about = file === undefined ? {} : { file };
    diagnostics.push({ code, severity, line, column, message, fix: fix ?? ruleTable[code].fix, ...about });
  }
  if (diagnostics.length > 1) diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
  return { valid: diagnostics.every(({ severity }) => severity !== "error"), diagnostics };
}

/** Adds all findings to one list, because a generator per check costs more than the checks. */
function check(skill: ParsedSkill, subject: Subject, limits: Limits, findings: FindingList): void {
  checkBody(skill, limits, findings);
  checkFiles(subject, limits, findings);
  if (!skill.isReadable) return;
  checkSkillName(skill, subject, limits, findings);
  checkStandard(skill, limits, findings);
  checkExtension(skill, subject, findings);
}

/** Advice on the size of the instructions. */
export function checkBody(skill: ParsedSkill, limits: Limits, findings: FindingList): void {
  const at = { line: 1, column: 1 };
  // A text has at most as many lines as characters, so a short text needs no count.
  const lines =
    skill.text.length <= Math.min(limits.adviceLines, limits.authoringLines) ? 0 : countLines(skill.text);
  if (lines > limits.adviceLines) {
    findings.push({
      code: "TOO_MANY_LINES",
      ...at,
      message: `SKILL.md has ${lines} lines; ${limits.adviceLines} is the advised maximum.`,
    });
  }
  if (lines > limits.authoringLines) findings.push(tooManyLines("SKILL.md", lines, limits));
  const tokens = skill.body.length <= limits.bodyTokens ? 0 : estimateTokens(skill.body);
  if (tokens > limits.bodyTokens) {
    const message = `The instructions are about ${tokens} tokens long; ${limits.bodyTokens} is the advised maximum.`;
    findings.push({ code: "BODY_TOO_MANY_TOKENS", line: bodyLine(skill), column: 1, message });
  }
  if (skill.isReadable && skill.body.trim() === "") {
    findings.push({
      code: "BODY_EMPTY",
      line: bodyLine(skill),
      column: 1,
      message: "There are no instructions below the frontmatter.",
    });
  }
}

/** Checks the sizes of a skill's files. */
export function checkFiles({ files }: Subject, limits: Limits, findings: FindingList): void {
  if (files === undefined) return;
  const at = { line: 1, column: 1 };
  for (const { path, lines, size } of files) {
    if (path === "SKILL.md" && size > limits.writtenSkillFileBytes) {
      const message = `SKILL.md is ${size} bytes long; the limit for publishing is ${limits.writtenSkillFileBytes} bytes.`;
      findings.push({ code: "WRITTEN_FILE_TOO_LARGE", ...at, message });
    }
    if (!path.startsWith("references/") || lines === undefined || lines <= limits.authoringLines) continue;
    findings.push({ ...tooManyLines(path, lines, limits), file: path });
  }
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > limits.mcpResources || bytes > limits.mcpBytes) {
    const message = `The skill has ${files.length} files of ${bytes} bytes; MCP clients must accept only ${limits.mcpResources} files and ${limits.mcpBytes} bytes.`;
    findings.push({ code: "MCP_TOO_LARGE", ...at, message });
  }
}

function tooManyLines(file: string, lines: number, limits: Limits): Finding {
  const message = `${file} has ${lines} lines; the limit for authoring is ${limits.authoringLines}.`;
  return { code: "TOO_MANY_LINES_FOR_AUTHORING", line: 1, column: 1, message };
}
