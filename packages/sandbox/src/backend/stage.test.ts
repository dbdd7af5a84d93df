import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeStage, removeStage, rootPath, stageRoot, sweep, withOpenStages } from "./stage.ts";

const isRoot = process.getuid?.() === 0;

describe.runIf(process.platform === "linux")("a stage", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  test("is a new folder that is closed to others, in a root that only root's runs can enter [S-29]", async () => {
    const folder = await makeStage();
    made.push(folder);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    expect(dirname(folder)).toBe(await stageRoot());
    expect(lstatSync(dirname(folder)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
  });

  test.runIf(isRoot)(
    "opens to one group at a time, and closes again after success or failure [S-29]",
    async () => {
      const stage = await makeStage();
      const other = await makeStage();
      made.push(stage, other);
      const state = (folder: string) => {
        const { uid, gid, mode } = lstatSync(folder);
        return [uid, gid, mode & 0o777];
      };
      const seen: unknown[] = [];
      const look = (gid: number) =>
        withOpenStages([join(stage, "skill"), other, "/usr", join(other, "x")], gid, async () => {
          seen.push(state(stage));
          await new Promise(setImmediate);
          seen.push(state(stage), state(other));
          if (gid === 42) throw new Error("it failed");
        });
      const results = await Promise.allSettled([look(41), look(42), look(43)]);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(seen).toEqual([41, 42, 43].flatMap((gid) => Array(3).fill([0, gid, 0o750])));
      expect([state(stage), state(other)]).toEqual([
        [0, 0, 0o700],
        [0, 0, 0o700],
      ]);
    },
  );

  test("is removed with read-only and deep folders, without following links [S-29]", async () => {
    const folder = await makeStage();
    const outside = await makeStage();
    made.push(folder, outside);
    writeFileSync(join(outside, "keep"), "kept");
    symlinkSync(outside, join(folder, "link"));
    mkdirSync(join(folder, "closed/inner"), { recursive: true });
    writeFileSync(join(folder, "closed/inner/file"), "");
    chmodSync(join(folder, "closed/inner"), 0o555);
    chmodSync(join(folder, "closed"), 0o500);
    deepen(folder, 40);
    await removeStage(folder);
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(join(outside, "keep"), "utf8")).toBe("kept");
  });

  test("can be removed twice, and other folders cannot [S-29]", async () => {
    const folder = await makeStage();
    await removeStage(folder);
    await removeStage(folder);
    for (const other of ["/", "/tmp", dirname(folder), join(folder, "x"), join(dirname(folder), "runtime")]) {
      await expect(removeStage(other)).rejects.toMatchObject({ code: "INTERNAL" });
    }
  });

  test("of a dead process is removed after a day [S-29]", async () => {
    const mine = await makeStage();
    const root = dirname(mine);
    const left = (name: string, daysOld: number): string => {
      const folder = join(root, name);
      mkdirSync(folder);
      const then = Date.now() / 1000 - daysOld * 86_400;
      utimesSync(folder, then, then);
      return folder;
    };
    const name = (pid: number, digit: string) => `run-${pid}-${digit.repeat(32)}`;
    // Above the largest possible pid.
    const old = left(name(99_999_999, "a"), 2);
    const young = left(name(99_999_999, "b"), 0.5);
    const alive = left(name(process.pid, "c"), 2);
    const foreign = left(`other-${process.pid}`, 2);
    made.push(mine, old, young, alive, foreign);
    await sweep(root, Date.now());
    expect([old, young, alive, foreign, mine].filter(existsSync).map((path) => basename(path))).toEqual(
      [young, alive, foreign, mine].map((path) => basename(path)),
    );
  });
});

/** Nests folders until the path of the innermost is too long: each half is created alone, then moved in. */
function deepen(folder: string, levels: number): void {
  const cwd = process.cwd();
  process.chdir(folder);
  try {
    for (let level = 0; level < levels; level += 1) {
      mkdirSync("d".repeat(200));
      process.chdir("d".repeat(200));
    }
  } finally {
    process.chdir(cwd);
  }
}

test("removes a folder with names that are not valid text [S-29]", async () => {
  const stage = await makeStage();
  const name = Buffer.concat([Buffer.from(`${stage}/bad`), Buffer.of(0xff, 0xfe)]);
  mkdirSync(name);
  writeFileSync(Buffer.concat([name, Buffer.from("/"), Buffer.of(0xc0)]), "x");
  await removeStage(stage);
  expect(existsSync(stage)).toBe(false);
});

test("is in a place where no other user can create names, if there is one [S-29]", () => {
  const home = mkdtempSync(join(tmpdir(), "skillhold-home-"));
  const cache = join(home, ".cache");
  mkdirSync(cache, { mode: 0o700 });
  const uid = process.getuid?.() ?? 0;
  try {
    if (uid === 0) {
      expect(rootPath(0, { HOME: home })).toBe("/var/lib/skillhold-0");
      chownSync(cache, 4242, 4242);
    }
    const other = uid === 0 ? 4242 : uid;
    expect(rootPath(other, { HOME: home })).toBe(join(cache, `skillhold-${other}`));
    expect(rootPath(other, { HOME: "/", XDG_CACHE_HOME: cache })).toBe(join(cache, `skillhold-${other}`));
    chmodSync(cache, 0o777);
    expect(rootPath(other, { HOME: home })).toBe(join(tmpdir(), `skillhold-${other}`));
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("uses the runtime folder of the user only if no other user can change it [S-29]", () => {
  const runtime = mkdtempSync(join(tmpdir(), "skillhold-runtime-"));
  const uid = 4242;
  const path = (env: NodeJS.ProcessEnv) => rootPath(uid, env);
  try {
    expect(path({ XDG_RUNTIME_DIR: runtime })).toBe(join(tmpdir(), "skillhold-4242"));
    if (process.getuid?.() === 0) {
      chownSync(runtime, uid, uid);
      expect(path({ XDG_RUNTIME_DIR: runtime })).toBe(join(runtime, "skillhold-4242"));
      chmodSync(runtime, 0o777);
      expect(path({ XDG_RUNTIME_DIR: runtime })).toBe(join(tmpdir(), "skillhold-4242"));
    }
    expect(path({ XDG_RUNTIME_DIR: "relative" })).toBe(join(tmpdir(), "skillhold-4242"));
    expect(path({ SKILLHOLD_STAGE: "/given", XDG_RUNTIME_DIR: runtime })).toBe("/given");
  } finally {
    rmSync(runtime, { recursive: true });
  }
});
