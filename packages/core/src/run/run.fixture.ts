import type { Asker } from "../approval/index.ts";
import { memoryApprovals } from "../approval/index.ts";
import { bubblewrap } from "../sandbox/bubblewrap.ts";
import type { RunPorts } from "./run-port.ts";

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
  return { sandbox, approvals: memoryApprovals(), ...settings };
}
