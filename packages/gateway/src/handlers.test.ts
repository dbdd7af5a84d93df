import { expect, test } from "vitest";
import { handlers } from "./handlers.ts";
import type { RunningContext } from "./running-context.ts";

const heavy = [
  "exportSkills",
  "downloadSkill",
  "diffVersions",
  "getQuestionContent",
  "rescanDependencies",
  "installDependencies",
  "installDependency",
] as const;
const received = ["uploadSkills", "importSkills"] as const;

test("expensive handlers wait at their gate before they start [S-53]", async () => {
  const passed: string[] = [];
  const gate = (name: string) => ({
    pass: (key: string) => {
      passed.push(`${name} ${key}`);
      return Promise.reject(new Error("shut"));
    },
  });
  // Before the gates open, handlers use only `calls` and `gates`.
  const context = {
    calls: { run: (_: object, signal: AbortSignal, work: (signal: AbortSignal) => unknown) => work(signal) },
    gates: { heavy: gate("heavy"), receiving: gate("receiving") },
  } as unknown as RunningContext;
  for (const operation of [...heavy, ...received]) {
    // The same holds for the call, of which only the token is used.
    const handle = handlers[operation] as (call: object, context: RunningContext) => Promise<unknown>;
    const call = { principal: { token: operation }, signal: new AbortController().signal };
    await expect(handle(call, context)).rejects.toThrow("shut");
  }
  expect(passed).toEqual([
    ...heavy.map((each) => `heavy ${each}`),
    ...received.map((each) => `receiving ${each}`),
  ]);
});
