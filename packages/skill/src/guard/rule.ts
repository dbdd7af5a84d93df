import type { GuardSeverity } from "./finding.ts";

/** Where a rule looks: instructions, code (files and fences), or the whole text. */
export type RuleScope = "prose" | "code" | "text";

/** A rule that matches tokens in order within distances. Rules are data; `match.ts` reads them. */
export interface TokenRule {
  readonly id: string;
  readonly severity: GuardSeverity;
  readonly scope: RuleScope;
  /**
   * Patterns in order. Contract: no pattern repeats without a bound, nests repetitions or skips text, so that each
   * takes linear time; gaps are distances and not patterns.
   */
  readonly tokens: readonly RegExp[];
  /** The most characters between a token and the next. */
  readonly gap: number;
  /** A match does not extend over this pattern; blank lines by default. */
  readonly stop?: RegExp;
  /** Words shortly before a match that make it a warning about the attack. */
  readonly unless?: RegExp;
  readonly message: string;
  readonly fix: string;
  readonly owasp: string;
  readonly tests: {
    readonly hits: readonly [string, string, string];
    readonly misses: readonly [string, string, string];
    /** Repeated to 64 KiB in a test. */
    readonly hostile: string;
  };
}

/** The rules of flows and structure checks, for `guard explain`. */
export interface CheckRule {
  readonly id: string;
  readonly severity: GuardSeverity;
  readonly message: string;
  readonly fix: string;
  readonly owasp: string;
}
