import type { Trust } from "@skillhold/protocol";

/** Something that only a policy can permit. */
export interface PolicyRequest {
  readonly act: Act;
  readonly trust: Trust;
  readonly network: "none" | "hosts" | "open";
  /** Whether it gets files of the host to read, or to change. */
  readonly mounts: "none" | "read" | "write";
  /** Whether values of secrets would be handed to it. */
  readonly hasSecrets: boolean;
  /** Whether it would run outside a sandbox, and whether both switches for that are on. */
  readonly isUnsandboxed: boolean;
  readonly mayRunUnsandboxed: boolean;
}

export type Act = "run_script" | "call_tool" | "shell_in_prompt" | "install";
export type Verdict = "allow" | "ask" | "deny";

export interface Decision {
  readonly verdict: Verdict;
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** The reasons of all rows with this verdict, the deciding one first. */
  readonly reasons: readonly string[];
}
