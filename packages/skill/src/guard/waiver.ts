import { type GuardFinding, type GuardReport, verdictOf } from "./finding.ts";

/** A person's decision to accept one finding in one content. */
export interface Waiver {
  readonly id: string;
  readonly ruleId: string;
  readonly file: string;
  /** The digest of the file: another content needs another waiver. */
  readonly contentHash: string;
  readonly reason: string;
  readonly by: string;
  readonly at: string;
  readonly expires?: string | undefined;
}

/** Rules that no waiver covers: known malware is never accepted. */
export const unwaivableRules: ReadonlySet<string> = new Set(["known-malware", "policy-program"]);

/** Marks the findings that a waiver covers at the given time, and judges the skill again. */
export function applyWaivers(report: GuardReport, waivers: readonly Waiver[], now: string): GuardReport {
  const findings = report.findings.map(({ waivedBy: _, ...finding }): GuardFinding => {
    const waiver = waivers.find((each) => covers(each, finding, now));
    return waiver === undefined ? finding : { ...finding, waivedBy: waiver.id };
  });
  return { ...report, findings, verdict: verdictOf(findings) };
}

function covers(waiver: Waiver, finding: GuardFinding, now: string): boolean {
  return (
    waiver.ruleId === finding.ruleId &&
    waiver.file === finding.file &&
    waiver.contentHash === finding.digest &&
    !unwaivableRules.has(finding.ruleId) &&
    (waiver.expires === undefined || Date.parse(waiver.expires) > Date.parse(now))
  );
}
