import type { Assertion } from "./assertion.ts";

/** The shapes of eval files in the wild. */
export type Dialect = "agentskills" | "anthropic" | "metadata" | "nvidia" | "checks" | "dotnet";

/** The task evals of a skill. */
export interface EvalSet {
  readonly dialect: Dialect;
  /** The skill that the file names. */
  readonly skill?: string;
  readonly cases: readonly EvalCase[];
  /** The document around the cases, kept for writing. */
  readonly frame: EvalFrame;
}

export interface EvalFrame {
  readonly format: "json" | "yaml";
  /** The document without its cases; undefined when the document is the list, or is the one case. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** The key of the list, or how the cases stand without one. */
  readonly list: string | "list" | "single";
  /** Entries of the list that are not cases, with their places. */
  readonly unread: readonly { readonly at: number; readonly value: unknown }[];
}

/** One task for an agent, and how its work is graded. */
export interface EvalCase {
  /** Unique in its set; from the file, or made of the name or the place. */
  readonly id: string;
  readonly name?: string;
  readonly prompt: string;
  readonly expected?: string;
  readonly files: readonly CaseFile[];
  readonly assertions: readonly Assertion[];
  /** Whether the skill should trigger, where the file says so. */
  readonly shouldTrigger?: boolean;
  /** The skill that should trigger, where the file names one; null when no skill should. */
  readonly expectedSkill?: string | null;
  readonly limits: CaseLimits;
  /** The record as it was read, kept for writing. */
  readonly origin: CaseOrigin;
}

export interface CaseLimits {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  readonly timeoutMs?: number;
}

/** A file that the agent finds in its work folder. */
export interface CaseFile {
  /** Where it is put, relative to the work folder. */
  readonly path: string;
  readonly content?: string;
  /** The file to copy, relative to the skill or to the eval file. */
  readonly source?: string;
}

export interface CaseOrigin {
  readonly record: Readonly<Record<string, unknown>>;
  /** The keys under which this dialect has them. */
  readonly promptKey: string;
  readonly expectedKey?: string;
}

/** A fault of an eval file, with its place in the document. */
export interface EvalProblem {
  readonly at: string;
  readonly message: string;
}
