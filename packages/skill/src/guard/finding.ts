import type { CapabilityManifest, GuardPlace } from "./manifest.ts";

/** `block` refuses a publish, `warn` asks a person, `info` is shown only. */
export type GuardSeverity = "block" | "warn" | "info";

/** The answer for a whole skill: its worst finding that no waiver covers. */
export type GuardVerdict = "block" | "review" | "clean";

export interface GuardFinding {
  readonly ruleId: string;
  readonly severity: GuardSeverity;
  /** Relative to the skill; a member of a nested archive is `outer.zip!inner/path`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The category of the OWASP Agentic Skills Top 10 or LLM Top 10, such as `LLM01`. */
  readonly owasp: string;
  /** The matching line, shortened, without control characters and secret values. */
  readonly excerpt: string;
  /** The digest of the whole file; waivers are bound to it. */
  readonly digest: string;
  /** Present when a waiver covers the finding. */
  readonly waivedBy?: string;
}

/** A part of the skill that the guard could not read. */
export interface GuardLimitation {
  readonly file: string;
  readonly reason: string;
}

/** A capability that code uses and no text of the skill mentions. */
export interface Incoherence {
  /** The manifest key, such as `network.hosts`. */
  readonly capability: string;
  readonly value: string;
  readonly severity: "warn";
  readonly message: string;
  readonly seen: readonly GuardPlace[];
}

export interface GuardReport {
  /** The version of rules and flows; a verdict of another engine needs a rescan. */
  readonly engine: string;
  readonly verdict: GuardVerdict;
  readonly findings: readonly GuardFinding[];
  readonly manifest: CapabilityManifest;
  readonly incoherent: readonly Incoherence[];
  readonly limitations: readonly GuardLimitation[];
}

const ORDER: Readonly<Record<GuardSeverity, number>> = { block: 0, warn: 1, info: 2 };

export function verdictOf(findings: readonly GuardFinding[]): GuardVerdict {
  const open = findings.filter(({ waivedBy }) => waivedBy === undefined);
  if (open.some(({ severity }) => severity === "block")) return "block";
  return open.some(({ severity }) => severity === "warn") ? "review" : "clean";
}

/** Worst first, then by file and line; the order is total, so that equal skills give equal reports. */
export function sortFindings(findings: readonly GuardFinding[]): readonly GuardFinding[] {
  return findings.toSorted(
    (a, b) =>
      ORDER[a.severity] - ORDER[b.severity] ||
      compare(a.file, b.file) ||
      a.line - b.line ||
      compare(a.ruleId, b.ruleId),
  );
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
