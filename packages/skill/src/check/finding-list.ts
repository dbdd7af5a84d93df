import type { Finding } from "../rule/finding.ts";
import { type Profile, type RuleCode, severityOf } from "../rule/rule-table.ts";

/** The findings about a skill, without those that the profile does not report. */
export class FindingList implements Iterable<Finding> {
  readonly #profile: Profile;
  readonly #findings: Finding[] = [];

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  /** False when a check for the code is needless. */
  reports(code: RuleCode): boolean {
    return severityOf(code, this.#profile) !== undefined;
  }

  push(finding: Finding): void {
    if (this.reports(finding.code)) this.#findings.push(finding);
  }

  [Symbol.iterator](): Iterator<Finding> {
    return this.#findings[Symbol.iterator]();
  }
}
