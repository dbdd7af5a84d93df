import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack } from "@skillhold/core/bundle";
import { freshSandbox } from "@skillhold/host/run";
import { materialise } from "@skillhold/registry/release";
import { bubblewrap, sandboxRuntime } from "@skillhold/sandbox/backend";
import { afterEach, describe, expect, test } from "vitest";
import { openScene } from "../registry/scene.ts";
import { openRunning, org, typesOf } from "../run/session-run.fixture.ts";

const real = process.platform;
const folders: string[] = [];
afterEach(() => {
  Object.defineProperty(process, "platform", { value: real });
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The platform as the code under test sees it. The disk stays the one of this machine. */
function simulate(platform: NodeJS.Platform): void {
  Object.defineProperty(process, "platform", { value: platform });
}

describe("without a sandbox of this system", () => {
  test.each(["darwin", "win32"] as const)(
    "a run on %s is refused and recorded, and reading works [S-29] [S-67]",
    async (platform) => {
      const load = async () => ({
        folder: "/nowhere",
        manager: {
          isSupportedPlatform: () => false,
          checkDependencies: () => ({ errors: [], warnings: [] }),
        },
      });
      // The manager has only the members that a refusal needs.
      const ports = { platform, isRoot: false, load: load as never };
      const sandbox = sandboxRuntime(ports);
      const { session, events } = await openRunning([org({ "scripts/run.py": "print(1)" })], { sandbox });
      expect((await session.activate("demo")).text).toContain("scripts/run.py");
      await expect(session.run("demo", "scripts/run.py")).rejects.toMatchObject({
        code: "SANDBOX_UNAVAILABLE",
      });
      expect(typesOf(events)).not.toContain("skill.script_executed");
      expect(await sandbox.probe()).toMatchObject({ isAvailable: false });
    },
  );

  test("bubblewrap names the other backend on macOS, and macOS gets that backend [S-29] [S-67]", async () => {
    expect([freshSandbox("darwin").id, freshSandbox("win32").id]).toEqual([
      "sandbox-runtime",
      "sandbox-runtime",
    ]);
    const host = { platform: "darwin", path: "", osRelease: "/nowhere", folders: [] };
    expect(await bubblewrap({ host }).probe()).toMatchObject({
      isAvailable: false,
      problem: { hint: expect.stringContaining("sandbox-runtime") },
    });
  });
});

describe("executable bits on Windows", () => {
  test("come from the record of a revision and never from the disk [S-13] [S-67]", async () => {
    const scene = await openScene("sqlite");
    try {
      const { treeHash } = await scene.publish("demo", { "scripts/run.sh*": "#!/bin/sh\n" });
      simulate("win32");
      const copies = join(scene.folder, "copies");
      const folder = await materialise(treeHash, "demo", { folder: copies }, scene.context);
      // The second call verifies the copy against the record, whose bit the disk cannot hold.
      expect(await materialise(treeHash, "demo", { folder: copies }, scene.context)).toBe(folder);
      const packed = await pack(folder, { shared: "none" });
      expect(packed.files.map(({ path, executable }) => [path, executable])).toContainEqual([
        "scripts/run.sh",
        false,
      ]);
    } finally {
      simulate(real);
      await scene.close();
    }
  });

  test("are false in a local bundle, and names that Windows cannot hold are left out everywhere [S-13] [S-67]", async () => {
    const root = mkdtempSync(join(tmpdir(), "skillhold-platform-"));
    folders.push(root);
    mkdirSync(join(root, "scripts"));
    writeFileSync(join(root, "SKILL.md"), "");
    writeFileSync(join(root, "scripts", "run.sh"), "#!/bin/sh\n");
    chmodSync(join(root, "scripts", "run.sh"), 0o755);
    for (const name of ["aux.md", "a:b.md", "end.", "back\\slash.md"]) writeFileSync(join(root, name), "");
    const bits = async () =>
      (await pack(root)).files.map(({ path, executable }): readonly [string, boolean] => [path, executable]);
    expect(await bits()).toEqual([
      ["SKILL.md", false],
      ["scripts/run.sh", true],
    ]);
    simulate("win32");
    expect(await bits()).toEqual([
      ["SKILL.md", false],
      ["scripts/run.sh", false],
    ]);
  });
});
