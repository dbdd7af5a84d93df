import type { Assertion } from "../format/assertion.ts";

/** How one assertion turned out. An assertion that could not be graded is not a failure of the agent. */
export interface Grade {
  readonly text: string;
  readonly verdict: "pass" | "fail" | "ungraded";
  readonly evidence: string;
  readonly by: "check" | "judge";
}

export interface GradedAssertion {
  readonly assertion: Assertion;
  readonly index: number;
}

/** The share of passed assertions; undefined when one could not be graded, or there is none. */
export function passRate(grades: readonly Grade[]): number | undefined {
  if (grades.length === 0 || grades.some(({ verdict }) => verdict === "ungraded")) return undefined;
  return grades.filter(({ verdict }) => verdict === "pass").length / grades.length;
}
