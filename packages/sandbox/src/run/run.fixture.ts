import { type Asker, memoryApprovals } from "@skillhold/core/approval";
import type { RunPorts } from "@skillhold/core/run";
import { bubblewrap } from "../backend/bubblewrap.ts";
import { openRunner } from "./open-runner.ts";

/** A real sandbox for tests: one for all of a file, so that it is probed once. */
export const sandbox = bubblewrap();

/** Someone who always answers the same, and remembers what was asked. */
export function fixedAsker(answer: "once" | "content" | "deny"): Asker & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    ask: async ({ skill, target, args }) => {
      asked.push([skill, target, ...args].join(" "));
      return answer === "deny"
        ? { answer: "deny", by: "ada" }
        : { answer: "approve", scope: answer, by: "ada" };
    },
  };
}

export function fixtureRuns(settings: Partial<RunPorts> = {}): RunPorts {
  return { runner: openRunner, sandbox, approvals: memoryApprovals(), ...settings };
}
