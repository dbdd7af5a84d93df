import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findControlGroups } from "./cgroup.ts";
import { launch } from "./process.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("finds no control groups on a machine without them [S-29]", () => {
  expect(findControlGroups({ mount: join(folder, "none"), self: join(folder, "none") })).toBeUndefined();
});

test("finds none when the controllers are not usable, and leaves no files [S-29]", () => {
  mkdirSync(join(folder, "app.slice/own.scope"), { recursive: true });
  writeFileSync(join(folder, "cgroup.controllers"), "cpu memory pids\n");
  writeFileSync(join(folder, "self"), "0::/app.slice/own.scope\n");
  // Folders on a disk have no control files, like a tree without delegated controllers.
  expect(findControlGroups({ mount: folder, self: join(folder, "self") })).toBeUndefined();
  expect(readdirSync(join(folder, "app.slice"))).toEqual(["own.scope"]);
  expect(readdirSync(join(folder, "app.slice/own.scope"))).toEqual([]);
});

test("removes only empty groups of dead processes [S-29]", () => {
  // Above the largest possible pid.
  const names = [
    "skillhold-99999999-1",
    "skillhold-99999999-2",
    `skillhold-${process.pid}-1`,
    "other-99999999-1",
  ];
  const old = Date.now() / 1000 - 3600;
  for (const name of names) {
    mkdirSync(join(folder, "memory", name), { recursive: true });
    utimesSync(join(folder, "memory", name), old, old);
  }
  utimesSync(join(folder, "memory", "skillhold-99999999-2"), new Date(), new Date());
  findControlGroups({ mount: folder, self: join(folder, "self") });
  expect(readdirSync(join(folder, "memory")).sort()).toEqual(names.slice(1).sort());
});

const real = process.platform === "linux" ? findControlGroups() : undefined;

describe.runIf(real !== undefined)("a group", () => {
  const limits = { memoryBytes: 64 * 1024 * 1024, processes: 5 };
  const groupsOf = (pid: number): string => readFileSync(`/proc/${pid}/cgroup`, "utf8");

  test("does not collide with a group of another instance in a process with the same id [S-29]", async () => {
    const groups = [];
    for (let instance = 0; instance < 2; instance += 1) {
      vi.resetModules();
      const { findControlGroups: find } = await import("./cgroup.ts");
      groups.push(find()?.create(limits));
    }
    for (const group of groups) await group?.remove();
    expect(groups).not.toContain(undefined);
  });

  test("contains a process, measures its time, and can be removed [S-29]", async () => {
    const group = real?.create(limits);
    const launched = await launch(
      ["/bin/sh", "-c", "read line; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"],
      { env: {} },
    );
    await group?.add(launched.pid);
    const name = /skillhold-\d+-[0-9a-f]+/.exec(groupsOf(launched.pid))?.[0] ?? "";
    expect(name).not.toBe("");
    launched.stdin.end("\n");
    await launched.ended;
    expect(group?.cpuMs()).toBeGreaterThan(1);
    expect(group?.wasOutOfMemory()).toBe(false);
    await group?.remove();
    expect(
      ["memory", "pids", "cpuacct", "."].some((part) => existsSync(join("/sys/fs/cgroup", part, name))),
    ).toBe(false);
  });

  test("kills its remaining processes when removed [S-29]", async () => {
    const group = real?.create(limits);
    const launched = await launch(["/bin/sleep", "60"], { env: {} });
    await group?.add(launched.pid);
    launched.stderr.resume();
    const output = text(launched.stdout);
    await group?.remove();
    expect(await launched.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(await output).toBe("");
  });
});
