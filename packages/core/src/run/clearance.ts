import type { Digest, SkillError } from "@skillhold/protocol";
import type { ApprovalRequest } from "../approval/approval.ts";
import type { ObtainedApproval } from "../approval/index.ts";
import type { ScriptOptions } from "./script-run.ts";

/** Whether a run could start now. To learn it records no event and starts no skill code. */
export type Clearance =
  | ClearedRun
  /** A person must approve the request. Pass the answer as `approval: { key, by }` of the run. */
  | { readonly verdict: "ask"; readonly request: ApprovalRequest; readonly key: Digest }
  | { readonly verdict: "deny"; readonly error: SkillError };

/** The policy or a stored approval permits the run. */
export interface ClearedRun {
  readonly verdict: "allow";
  /** The policy rule that decided. */
  readonly rule: string;
  /** The stored approval that covers the run; absent when the rule needs none. */
  readonly approval?: ObtainedApproval;
  /** The request that the stored approval covers. */
  readonly request?: ApprovalRequest;
}

/** What would run: a script, a declared tool, or the modules of all declared tools to list them. */
export type ClearanceTarget =
  | { readonly script: string }
  | { readonly tool: string }
  | { readonly list: "tools" }
  /** Every declared tool, with any arguments. */
  | { readonly all: "tools" };

/** The input of a script that an approval depends on. */
export type ScriptInput = Pick<ScriptOptions, "args" | "stdin" | "network" | "mounts" | "isUnsandboxed">;
