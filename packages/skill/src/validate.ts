import type { Diagnostic } from "@skillhold/protocol";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import { checkBody, checkFiles } from "./check-body.ts";
import { checkExtension } from "./check-extension.ts";
import { checkName } from "./check-name.ts";
import { checkStandard } from "./check-standard.ts";
import type { Finding } from "./finding.ts";
import { type ParsedSkill, parseSkill } from "./parse.ts";
import { type Profile, ruleTable, severityOf } from "./rule-table.ts";
import type { Subject } from "./subject.ts";

export interface Validation {
  /** True when no diagnostic is an error. */
  readonly valid: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks a skill against a profile. What was found is the same in every profile; how grave it is differs. */
export function validateSkill(
  skill: ParsedSkill,
  subject: Subject,
  profile: Profile,
  limits: Limits = defaultLimits,
): Validation {
  const findings = [...skill.findings, ...(subject.findings ?? [])];
  check(skill, subject, limits, findings);
  return judge(findings, profile);
}

/** `validateSkill` for a text that stands alone. */
export function validateText(text: string | Uint8Array, profile: Profile, subject: Subject = {}): Validation {
  return validateSkill(parseSkill(text), subject, profile);
}

/** Turns findings into diagnostics, in the order of the file; a finding that the profile leaves unsaid is dropped. */
export function judge(findings: Iterable<Finding>, profile: Profile): Validation {
  const diagnostics: Diagnostic[] = [];
  for (const { code, line, column, message, fix, file } of findings) {
    const severity = severityOf(code, profile);
    if (severity === undefined) continue;
    const about = file === undefined ? {} : { file };
    diagnostics.push({ code, severity, line, column, message, fix: fix ?? ruleTable[code].fix, ...about });
  }
  diagnostics.sort((a, b) => a.line - b.line || a.column - b.column);
  return { valid: diagnostics.every(({ severity }) => severity !== "error"), diagnostics };
}

/** Adds what the checks find; into one list, because a generator for each costs more than the checks themselves. */
function check(skill: ParsedSkill, subject: Subject, limits: Limits, findings: Finding[]): void {
  checkBody(skill, limits, findings);
  checkFiles(subject, limits, findings);
  if (!skill.isReadable) return;
  checkName(skill, subject, limits, findings);
  checkStandard(skill, limits, findings);
  checkExtension(skill, subject, findings);
}
