import { SkillError } from "@skillhold/protocol";
import {
  type AskedCall,
  type BlockedCall,
  type GuardOptions,
  guardToolCall,
  type ToolCall,
  type ToolVerdict,
} from "../policy/index.ts";
import type { Activation } from "./activation.ts";
import type { SessionLog } from "./session-log.ts";

/** Checks tool calls against the active skills. A blocked call is recorded. */
export class SessionGuard {
  readonly #options: GuardOptions | undefined;
  readonly #log: SessionLog;

  constructor(options: GuardOptions | undefined, log: SessionLog) {
    this.#options = options;
    this.#log = log;
  }

  /** The decision without a record. */
  decide(call: ToolCall, active: readonly Activation[]): ToolVerdict {
    const grants = active
      .filter((each) => this.#applies(each))
      .map(({ skill, allowedTools, folder }) => ({
        skill,
        ...(allowedTools === undefined ? {} : { allowedTools }),
        ...(folder === undefined ? {} : { folder }),
      }));
    return guardToolCall(call, grants, this.#options);
  }

  /** Decides, asks a person where a skill names a program too broadly, and records a blocked call. */
  async judge(
    call: ToolCall,
    active: readonly Activation[],
    ask?: (asked: AskedCall, skill: Activation) => Promise<boolean>,
  ): Promise<SettledVerdict> {
    const verdict = this.decide(call, active);
    if (verdict.verdict === "ask") {
      const owner = active.find(({ skill }) => skill === verdict.skill);
      if (owner !== undefined && (await ask?.(verdict, owner)) === true)
        return { verdict: "allowed", argv: verdict.argv };
    }
    if (verdict.verdict !== "blocked" && verdict.verdict !== "ask") return verdict;
    const { skill, message } = verdict;
    const denial = { act: "use_tool", skill, path: call.tool.slice(0, 128), reason: "TOOL_BLOCKED" } as const;
    await this.#log.record({ type: "skill.denied", ...denial, message });
    return settle(verdict);
  }

  /** A third-party skill may restrict tools but not preapprove them, because no person approved its list. */
  #applies({ trust }: Activation): boolean {
    return this.#options?.mode !== "preapprove" || trust !== "third_party";
  }

  async rejectBlocked(call: ToolCall, active: readonly Activation[]): Promise<void> {
    const verdict = await this.judge(call, active);
    if (verdict.verdict === "blocked") throw toolBlocked(verdict);
  }
}

/** A verdict after a person was asked. */
export type SettledVerdict = Exclude<ToolVerdict, { readonly verdict: "ask" }>;

/** Without a person's yes, a call that needs one is blocked. */
export function settle(verdict: ToolVerdict): SettledVerdict {
  if (verdict.verdict !== "ask") return verdict;
  const { argv: _, prefix: __, ...blocked } = verdict;
  return { ...blocked, verdict: "blocked" };
}

export function toolBlocked({ message, hint, tool, skill, allows }: BlockedCall): SkillError {
  return new SkillError("TOOL_BLOCKED", message, { hint, details: { tool, skill, allows } });
}
