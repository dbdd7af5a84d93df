import type { Trust } from "@skillhold/protocol";

/** An act that needs permission. */
export interface PolicyRequest {
  readonly act: Act;
  readonly trust: Trust;
  readonly network: "none" | "hosts" | "open";
  /** Whether the act reads or changes host files. */
  readonly mounts: "none" | "read" | "write";
  /** Whether the act receives secrets. */
  readonly hasSecrets: boolean;
  /** Whether the act runs without a sandbox, and whether both switches are on. */
  readonly isUnsandboxed: boolean;
  readonly mayRunUnsandboxed: boolean;
}

/** `use_tool`: a command in the agent's own shell that an active skill names too broadly. */
export type Act = "run_script" | "call_tool" | "shell_in_prompt" | "install" | "use_tool";
export type Verdict = "allow" | "ask" | "deny";

export interface Decision {
  readonly verdict: Verdict;
  /** The id of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  /** The reasons of all rows with this verdict, the deciding one first. */
  readonly reasons: readonly string[];
}
