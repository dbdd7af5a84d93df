import { spawnSync } from "node:child_process";
import { chownSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findMarked, newMark } from "./marked-process.fixture.ts";
import { launch } from "./process.ts";

const isRoot = process.getuid?.() === 0;
const program = join(import.meta.dirname, "launch-with-leak.fixture.ts");

describe.runIf(process.platform === "linux")("a process that is launched", () => {
  let folder: string;
  let leak: number;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "skillhold-test-"));
    writeFileSync(join(folder, "leaked"), "");
    leak = openSync(join(folder, "leaked"), "r");
  });
  afterAll(async () => {
    closeSync(leak);
    await rm(folder, { recursive: true });
  });

  /** Starts Node with an unexpected open descriptor. Node closes descriptors up to 15 for its children. */
  const nodeWithLeak = (args: readonly string[], user: { uid?: number; gid?: number } = {}) => {
    const stdio = ["ignore", "pipe", "pipe", ...Array(57).fill("ignore"), leak];
    const stage = mkdtempSync(join(tmpdir(), "skillhold-test-"));
    const env = { ...process.env, SKILLHOLD_STAGE: stage };
    if (user.uid !== undefined && user.gid !== undefined) chownSync(stage, user.uid, user.gid);
    try {
      return spawnSync(process.execPath, args, { stdio, encoding: "utf8", cwd: "/", env, ...user });
    } finally {
      rmSync(stage, { recursive: true });
    }
  };
  const runFixture = (user?: { uid: number; gid: number }) => {
    const { stdout, stderr } = nodeWithLeak(["--conditions=@skillhold/source", program], user);
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  };

  test("inherits no open descriptor [S-29]", () => {
    const ordinary =
      "require('child_process').execFileSync('/bin/ls',['-l','/proc/self/fd'],{stdio:'inherit'})";
    // Shows the leak without `launch`, so that the rest proves something.
    expect(nodeWithLeak(["-e", ordinary]).stdout).toContain("leaked");
    const { inherited, plain, confined, code } = runFixture();
    expect(inherited).toContain(60);
    expect(plain).toMatch(/ 60 -> \/dev\/null/);
    expect(plain).not.toContain("leaked");
    expect(confined).not.toContain("leaked");
    expect(code).toBe(0);
  });

  test.runIf(isRoot)("inherits no descriptor as an ordinary user either [S-29]", () => {
    const { uid, code, confined } = runFixture({ uid: 65_534, gid: 65_534 });
    expect({ uid, code }).toEqual({ uid: 65_534, code: 0 });
    expect(confined).not.toContain("leaked");
  });

  test("gets only the given variables [S-29]", async () => {
    const launched = await launch(["/usr/bin/env"], { env: { ONE: "1" } });
    expect(await text(launched.stdout)).toBe("ONE=1\n");
    const bare = await launch(["/usr/bin/env"], { env: {} });
    expect(await text(bare.stdout)).toBe("");
  });

  test("does not use a shell [S-29]", async () => {
    const launched = await launch(["/bin/echo", "$HOME; id", "`id`"], { env: {} });
    expect(await text(launched.stdout)).toBe("$HOME; id `id`\n");
  });

  test("can open its outputs by name, and its output stays in order [S-29]", async () => {
    const script = "echo 1; echo 2 > /dev/stdout; echo 3 >> /proc/self/fd/1; echo 4 | tee /dev/stderr";
    const launched = await launch(["/bin/sh", "-c", script], { env: {} });
    const [output, errors] = await Promise.all([text(launched.stdout), text(launched.stderr)]);
    expect({ output, errors }).toEqual({ output: "1\n2\n3\n4\n", errors: "4\n" });
    expect(await launched.ended).toEqual({ code: 0, signal: null });
  });

  test("ends whether or not its output is read [S-29]", async () => {
    const launched = await launch(["/usr/bin/head", "-c", "50000", "/dev/zero"], { env: {} });
    expect(await launched.ended).toEqual({ code: 0, signal: null });
  });

  test("is killed with its group [S-29]", async () => {
    const mark = newMark();
    const launched = await launch(["/bin/sh", "-c", `sleep 41.${mark} & sleep 41.${mark}`], { env: {} });
    const sleepers = () => findMarked(mark).filter(({ argv }) => argv[0] === "sleep");
    await expect.poll(sleepers).toHaveLength(2);
    launched.stdout.resume();
    launched.stderr.resume();
    launched.kill();
    expect(await launched.ended).toEqual({ code: null, signal: "SIGKILL" });
    await expect.poll(() => findMarked(mark)).toEqual([]);
    launched.kill();
  });

  test("rejects when the program does not exist [S-29]", async () => {
    await expect(launch(["/nowhere/program"], { env: {} })).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("may ignore its input [S-29]", async () => {
    const launched = await launch(["/bin/true"], { env: {}, pipes: [3] });
    launched.pipe(3).end("x".repeat(1_000_000));
    launched.stdin.end("x".repeat(1_000_000));
    launched.stdout.resume();
    launched.stderr.resume();
    expect((await launched.ended).code).toBe(0);
  });
});
