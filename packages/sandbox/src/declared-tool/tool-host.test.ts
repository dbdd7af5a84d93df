import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test, vi } from "vitest";
import { directSandbox, hostOf, hostTiming } from "./tool-host.fixture.ts";

const SLOW = `export const waits = { description: "w", execute: (_, { abortSignal }) =>
    new Promise((_, reject) => {
      const stop = () => reject(abortSignal.reason);
      if (abortSignal.aborted) stop();
      abortSignal.addEventListener("abort", stop);
    }) };
  export const deaf = { description: "d", execute: () => new Promise(() => {}) };
  export const pid = { description: "p", execute: () => process.pid };
  export const dies = { description: "x", execute: () => process.kill(process.pid, "SIGKILL") };
  export const echo = { description: "e", execute: async ({ ms, text }) => {
    await new Promise((resolve) => setTimeout(resolve, ms)); return text; } };`;
const slow = { "tools/slow.mjs": SLOW };

test("starts no process before it is needed, and calls share one [S-32]", async () => {
  const sandbox = directSandbox();
  const host = hostOf(slow, { ports: { sandbox } });
  expect(sandbox.started).toHaveLength(0);
  const calls = ["a", "b", "c"].map((text, at) => host.call("echo", { text, ms: 30 - 10 * at }));
  await expect(Promise.all(calls)).resolves.toEqual(["a", "b", "c"]);
  expect(sandbox.started).toHaveLength(1);
});

test("does not call a tool that the skill lacks [S-32]", async () => {
  const host = hostOf(slow);
  await expect(host.call("toString", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("cancels a call at its timeout, and keeps the process when the call stops [S-32]", async () => {
  const timers = new ManualTimers();
  const host = hostOf(slow, { ports: { timers } });
  const before = await host.call("pid", {});
  const late = host.call("waits", {}, { timeoutMs: 30_000 });
  await timers.set(30_000);
  timers.advance(30_000);
  await expect(late).rejects.toMatchObject({ code: "TIMED_OUT" });
  await expect(host.call("pid", {})).resolves.toBe(before);
});

test("kills the process of a call that does not stop, and starts another for the next [S-32]", async () => {
  const sandbox = directSandbox();
  const timers = new ManualTimers();
  const host = hostOf(slow, { ports: { sandbox, timers } });
  const before = await host.call("pid", {});
  const other = host.call("waits", {}, { timeoutMs: 1_000_000 });
  const outcome = expect(other).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: expect.stringContaining("The tool deaf ignored its cancellation"),
  });
  const deaf = expect(host.call("deaf", {}, { timeoutMs: 30_000 })).rejects.toMatchObject({
    code: "TIMED_OUT",
  });
  await timers.set(30_000);
  timers.advance(30_000);
  await deaf;
  // Called before the kill, and answered by the next process.
  const answered = host.call("pid", {});
  timers.advance(hostTiming.graceMs);
  const after = await answered;
  await outcome;
  expect(after).not.toBe(before);
  expect(sandbox.started).toHaveLength(2);
});

test("a call can be canceled, also before its process has started [S-32]", async () => {
  const host = hostOf(slow);
  const early = new AbortController();
  const starting = host.call("pid", {}, { signal: early.signal });
  early.abort();
  await expect(starting).rejects.toMatchObject({ code: "INTERRUPTED" });
  const controller = new AbortController();
  const running = host.call("waits", {}, { signal: controller.signal });
  await host.call("pid", {});
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: "INTERRUPTED" });
  await expect(host.call("pid", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
});

test("calls fail when the process dies, and the next call starts another [S-32]", async () => {
  const host = hostOf(slow);
  const other = expect(host.call("waits", {})).rejects.toMatchObject({ code: "TOOL_FAILED" });
  await host.tools();
  await expect(host.call("dies", {})).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: expect.stringContaining("The process exited with code 137"),
  });
  await other;
  await expect(host.call("pid", {})).resolves.toEqual(expect.any(Number));
});

test("ends an idle process, and starts it again when needed [S-32]", async () => {
  const sandbox = directSandbox();
  const timers = new ManualTimers();
  const host = hostOf(slow, { ports: { sandbox, timers } });
  const before = await host.call("pid", {});
  await timers.set(hostTiming.idleMs);
  timers.advance(hostTiming.idleMs);
  await sandbox.started[0]?.exited;
  expect(await host.call("pid", {})).not.toBe(before);
});

test("close ends the process and its pending calls [S-32]", async () => {
  const sandbox = directSandbox();
  const host = hostOf(slow, { ports: { sandbox } });
  await host.tools();
  const waiting = expect(host.call("deaf", {})).rejects.toMatchObject({ code: "INTERRUPTED" });
  await host.call("pid", {});
  await host.close();
  await waiting;
  await sandbox.started[0]?.exited;
  await expect(host.tools()).rejects.toMatchObject({ code: "INTERRUPTED" });
});

test("logs a bounded amount of output without secrets, and passes only the given variables [S-32]", async () => {
  const host = hostOf(
    {
      "tools/t.mjs": `export const loud = { description: "l", execute: () => {
          for (let at = 0; at < 2000; at += 1) console.log(at, process.env.KEY, "x".repeat(80));
          return { [process.env.KEY]: ["is " + process.env.KEY] }; } };
        export const env = { description: process.env.KEY, execute: () => Object.keys(process.env) };
        export const fails = { description: "f", execute: () => { throw new RangeError(process.env.KEY); } };`,
    },
    { env: { KEY: "hush" }, ports: { redact: (text) => text.replaceAll("hush", "[KEY]") } },
  );
  const { tools } = await host.tools();
  expect(tools.find((tool) => tool.name === "env")?.description).toBe("[KEY]");
  await expect(host.call("loud", {})).resolves.toEqual({ "[KEY]": ["is [KEY]"] });
  await expect(host.call("fails", {})).rejects.toMatchObject({
    message: "The tool fails failed: [KEY]",
    details: { code: "RangeError" },
  });
  const variables = await host.call("env", {});
  expect(variables).toEqual(expect.arrayContaining(["KEY"]));
  expect(variables).not.toContain("HOME");
  await host.close();
  expect(host.log()).toContain("1999 [KEY]");
  expect(host.log()).not.toContain("hush");
  expect(host.log().length).toBeLessThanOrEqual(16 * 1024);
});

test("close keeps the output that the process has not written yet, and kills a process that does not stop [S-32]", async () => {
  const sandbox = directSandbox();
  const timers = new ManualTimers();
  const host = hostOf(
    {
      "tools/t.mjs": `export const loud = { description: "l", execute: () => {
          process.stdout.write("x".repeat(4_000_000) + "the last words"); } };`,
    },
    { ports: { sandbox, timers } },
  );
  await host.tools();
  // A reader that is late, as on a busy machine.
  sandbox.started[0]?.stdout.pause();
  await host.call("loud", {});
  const closing = host.close();
  sandbox.started[0]?.stdout.resume();
  await closing;
  expect(host.log()).toContain("the last words");
  expect(await sandbox.started[0]?.exited).toMatchObject({ code: 0 });

  const other = hostOf(
    { "tools/t.mjs": "export const busy = { description: 'b', execute: () => { for (;;); } };" },
    { ports: { sandbox, timers } },
  );
  await other.tools();
  const blocked = expect(other.call("busy", {}, { timeoutMs: 1_000_000 })).rejects.toMatchObject({
    code: "INTERRUPTED",
  });
  await timers.set(1_000_000);
  const closed = other.close();
  await timers.set(hostTiming.graceMs);
  timers.advance(hostTiming.graceMs);
  await closed;
  await blocked;
  expect(await sandbox.started[1]?.exited).toMatchObject({ signal: "SIGKILL" });
});

test("a result that is oversized or not JSON fails alone [S-32]", async () => {
  const host = hostOf({
    "tools/t.mjs": `export const big = { description: "b", execute: () => "x".repeat(5_000_000) };
      export const loop = { description: "l", execute: () => { const a = {}; a.a = a; return a; } };
      export const deep = { description: "d", execute: () => {
        let value = 1; for (let at = 0; at < 1000; at += 1) value = [value]; return value; } };
      export const many = { description: "m", execute: () => Array.from({ length: 20_000 }, () => ["a,[{"]) };
      export const fits = { description: "f", execute: () => Array.from({ length: 19_000 }, () => "a,[{\\"") };
      export const shout = { description: "s", execute: () => { throw new Error("x".repeat(5_000_000)); } };
      export const none = { description: "n", execute: () => {} };`,
  });
  await expect(host.call("many", {})).rejects.toThrow(/more than 20000 values/);
  await expect(host.call("fits", {})).resolves.toHaveLength(19_000);
  await expect(host.call("shout", {})).rejects.toThrow(/The tool shout failed: x+/);
  await expect(host.call("big", {})).rejects.toThrow(/larger than 1048576 bytes/);
  await expect(host.call("loop", {})).rejects.toThrow(/circular/);
  await expect(host.call("deep", {})).rejects.toThrow(/nested too deeply/);
  await expect(host.call("none", {})).resolves.toBeNull();
  await expect(host.call("none", { text: "x".repeat(5_000_000) })).rejects.toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
});

test("rejects arguments that are not JSON before sending [S-32]", async () => {
  const host = hostOf(slow);
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  for (const args of [{ count: 1n }, circle]) {
    await expect(host.call("echo", args)).rejects.toMatchObject({ code: "USAGE" });
  }
  await expect(host.call("echo", { text: "a", ms: 0 })).resolves.toBe("a");
});

test("close does not wait for modules that are loading [S-32]", async () => {
  const sandbox = directSandbox();
  const host = hostOf({ "tools/t.mjs": "for (;;);" }, { ports: { sandbox }, timing: { startMs: 1_000_000 } });
  const listing = expect(host.tools()).rejects.toMatchObject({ code: "INTERRUPTED" });
  await vi.waitFor(() => expect(sandbox.started).toHaveLength(1), 120_000);
  await host.close();
  await listing;
  await sandbox.started[0]?.exited;
});
