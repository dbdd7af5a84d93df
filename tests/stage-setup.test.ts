import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeLeftovers } from "./stage-setup.ts";

test("a run removes the folders of killed runs, and no other folder [S-67]", () => {
  const parent = mkdtempSync(join(tmpdir(), "skillhold-leftover-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const { pid: dead } = spawnSync(process.execPath, ["--version"]);
  const kept = [`skillhold-test-${process.pid}-a`, "skillhold-test-", "skillhold-0", `other-${dead}-a`];
  for (const name of [...kept, `skillhold-test-${dead}-a`]) {
    mkdirSync(join(parent, name, "stage"), { recursive: true });
    writeFileSync(join(parent, name, "stage/file"), "bytes");
  }
  removeLeftovers(parent);
  expect(readdirSync(parent).sort()).toEqual(kept.sort());
});
