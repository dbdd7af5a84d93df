import { PassThrough } from "node:stream";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { SandboxExit, SandboxProcess } from "@skillhold/core/test/run/sandbox";
import { describe, expect, test } from "vitest";
import { type OutputFilter, supervise } from "./supervise.ts";
import { roomyLimits } from "./trial.fixture.ts";

/** A process whose streams and exit the test controls. */
function fakeProcess() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let settle: (exit: SandboxExit) => void = () => {};
  const exited = new Promise<SandboxExit>((resolve) => {
    settle = resolve;
  });
  const end = (exit: SandboxExit): void => {
    streams.stdout.end();
    streams.stderr.end();
    settle(exit);
  };
  const kills: number[] = [];
  const kill = (): void => {
    kills.push(1);
    end({ code: 137, signal: "SIGKILL" });
  };
  const none = "none" as const;
  const enforced = { wall: none, cpu: none, memory: none, processes: none, disk: none, output: none };
  const collect = async () => ({ files: [], refused: [] });
  const process: SandboxProcess = {
    ...streams,
    channel: undefined,
    enforced,
    exited,
    kill,
    collect,
    dispose: async () => {},
  };
  return { process, ...streams, end, kills };
}

/** Replaces a word by stars, and holds back bytes that may be its beginning. */
function holdBack(word: string): OutputFilter {
  let held = "";
  return {
    push: (chunk) => {
      const text = (held + Buffer.from(chunk).toString()).replaceAll(word, "***");
      const start = [...text].findIndex((_, at) => word.startsWith(text.slice(at)));
      held = start < 0 ? "" : text.slice(start);
      return Buffer.from(start < 0 ? text : text.slice(0, start));
    },
    end: () => Buffer.from(held),
  };
}

describe("a supervised process", () => {
  test("is reported with its exit and all its output [S-29]", async () => {
    const fake = fakeProcess();
    const seen: string[] = [];
    const result = supervise(fake.process, roomyLimits, {
      stdin: "question",
      onOutput: (stream, chunk) => seen.push(`${stream}:${Buffer.from(chunk)}`),
    });
    fake.stdout.write("out");
    fake.stderr.write("error");
    fake.end({ code: 3, signal: undefined });
    expect(await result).toMatchObject({
      code: 3,
      outcome: "exited",
      stdout: "out",
      stderr: "error",
      isTruncated: false,
      outputBytes: 8,
    });
    expect(seen.sort()).toEqual(["stderr:error", "stdout:out"]);
    expect(fake.stdin.read().toString()).toBe("question");
    expect(fake.kills).toHaveLength(0);
  });

  test("may write a character in two parts [S-29]", async () => {
    const fake = fakeProcess();
    const result = supervise(fake.process, roomyLimits);
    const bytes = Buffer.from("ä€😀");
    for (const byte of bytes) fake.stdout.write(Buffer.of(byte));
    fake.end({ code: 0, signal: undefined });
    expect((await result).stdout).toBe("ä€😀");
  });

  test("is killed at the limit of both streams together, and the cut is marked [S-29]", async () => {
    const fake = fakeProcess();
    let passed = 0;
    const result = supervise(
      fake.process,
      { ...roomyLimits, outputBytes: 10 },
      {
        onOutput: (_, chunk) => {
          passed += chunk.length;
        },
      },
    );
    fake.stderr.write("123456");
    await new Promise(setImmediate);
    fake.stdout.write("abc€defgh");
    const { stdout, ...rest } = await result;
    expect(rest).toMatchObject({
      outcome: "limit_exceeded",
      exceeded: "output",
      isTruncated: true,
      outputBytes: 10,
      stderr: "123456",
    });
    // The limit cuts the fourth character after one of its three bytes, so it is dropped.
    expect(stdout).toBe("abc\n[output cut at 10 bytes]\n");
    expect(passed).toBe(10);
    expect(fake.kills.length).toBeGreaterThan(0);
  });

  test("is counted and cut after its filters, and held bytes are dropped at a cut [S-33]", async () => {
    const fake = fakeProcess();
    const seen: string[] = [];
    const result = supervise(
      fake.process,
      { ...roomyLimits, outputBytes: 10 },
      {
        filters: { stdout: holdBack("SECRET"), stderr: holdBack("SECRET") },
        onOutput: (_, chunk) => seen.push(Buffer.from(chunk).toString()),
      },
    );
    fake.stderr.write("SEC");
    fake.stdout.write("SECRET1234567");
    await new Promise(setImmediate);
    fake.stdout.write("8SECR");
    expect(await result).toMatchObject({
      isTruncated: true,
      stdout: "***1234567\n[output cut at 10 bytes]\n",
      stderr: "",
      outputBytes: 10,
    });
    expect(seen.join("")).toBe("***1234567");
  });

  test("receives the held bytes of its filters when no output was cut [S-33]", async () => {
    const fake = fakeProcess();
    const filters = { stdout: holdBack("SECRET"), stderr: holdBack("SECRET") };
    const result = supervise(fake.process, roomyLimits, { filters });
    fake.stdout.write("a SEC");
    fake.end({ code: 0, signal: undefined });
    expect(await result).toMatchObject({ isTruncated: false, stdout: "a SEC", outputBytes: 5 });
  });

  test("may write exactly as much as the limit [S-29]", async () => {
    const fake = fakeProcess();
    const result = supervise(fake.process, { ...roomyLimits, outputBytes: 4 });
    fake.stdout.write("1234");
    fake.end({ code: 0, signal: undefined });
    expect(await result).toMatchObject({ outcome: "exited", isTruncated: false, stdout: "1234" });
  });

  test("is killed at its time limit [S-29]", async () => {
    const fake = fakeProcess();
    const timers = new ManualTimers();
    const result = supervise(fake.process, { ...roomyLimits, wallMs: 5000 }, { timers });
    timers.advance(4999);
    expect(fake.kills).toEqual([]);
    timers.advance(1);
    expect(await result).toMatchObject({
      ...{ outcome: "timed_out", exceeded: "wall", durationMs: 5000 },
      ...{ code: 137, signal: "SIGKILL" },
    });
  });

  test("is killed when canceled, before or during the run [S-29]", async () => {
    const early = await supervise(fakeProcess().process, roomyLimits, { signal: AbortSignal.abort() });
    expect(early).toMatchObject({ outcome: "aborted" });
    expect(early).not.toHaveProperty("exceeded");
    const controller = new AbortController();
    const late = supervise(fakeProcess().process, roomyLimits, { signal: controller.signal });
    controller.abort();
    expect(await late).toMatchObject({ outcome: "aborted" });
  });

  test("reports a limit that the system enforced [S-29]", async () => {
    const fake = fakeProcess();
    const result = supervise(fake.process, roomyLimits);
    fake.end({ code: 137, signal: "SIGKILL", exceeded: "memory" });
    expect(await result).toMatchObject({ outcome: "limit_exceeded", exceeded: "memory" });
  });

  test("is killed when its output cannot be passed on, and the error is rethrown [S-29]", async () => {
    const fake = fakeProcess();
    const result = supervise(fake.process, roomyLimits, {
      onOutput: () => {
        throw new Error("nobody listens");
      },
    });
    fake.stdout.write("x");
    await expect(result).rejects.toThrow("nobody listens");
    expect(fake.kills.length).toBeGreaterThan(0);
  });
});
