import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { currentRuntimeHost, findRuntime, type RuntimeHost } from "./runtime.ts";
import { stageRoot } from "./stage.ts";

describe.runIf(process.platform === "linux")("an interpreter", () => {
  let folder: string;
  let host: RuntimeHost;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-test-")));
    chmodSync(folder, 0o755);
    const osRelease = join(folder, "os-release");
    writeFileSync(osRelease, "ID=debian\n");
    host = { ...currentRuntimeHost(), path: "", osRelease };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const program = (path: string, text: string): string => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
    chmodSync(join(folder, path), 0o755);
    return join(folder, path);
  };

  test("of the system needs no mount [S-29]", async () => {
    for (const kind of ["bash", "shell"] as const) {
      const { program: found, mounts } = await findRuntime(kind, host);
      expect(found).toMatch(kind === "bash" ? /\/bash$/ : /\/sh$/);
      expect(mounts).toEqual([]);
    }
  });

  test("that runs this process is mounted read-only outside system folders [S-29]", async () => {
    const node = program("bin/node", "a program");
    const runtime = await findRuntime("node", { ...host, node });
    expect(runtime).toEqual({
      program: node,
      version: process.versions.node,
      mounts: [{ source: node, target: "/opt/skillhold/node", isWritable: false }],
    });
    expect((await findRuntime("node", { ...host, node: "/usr/bin/env" })).mounts).toEqual([]);
  });

  test("in a closed folder is copied once for runs that root starts [S-29]", async () => {
    const node = program("closed/node", "a program in a home");
    chmodSync(join(folder, "closed"), 0o700);
    const open = await findRuntime("node", { ...host, node, isRoot: false });
    expect(open.program).toBe(node);
    const first = await findRuntime("node", { ...host, node, isRoot: true });
    expect(first.program.startsWith(join(await stageRoot(), "runtime/"))).toBe(true);
    const before = lstatSync(first.program);
    expect(before.mode & 0o777).toBe(0o755);
    await findRuntime("node", { ...host, node, isRoot: true });
    expect(lstatSync(first.program).ino).toBe(before.ino);
    chmodSync(first.program, 0o777);
    await findRuntime("node", { ...host, node, isRoot: true });
    expect(lstatSync(first.program).mode & 0o777).toBe(0o755);
    expect(lstatSync(first.program).ino).not.toBe(before.ino);
    writeFileSync(node, "another program in a home");
    const second = await findRuntime("node", { ...host, node, isRoot: true });
    expect(second.program).not.toBe(first.program);
    for (const { program: copy } of [first, second]) rmSync(copy);
  });

  test("behind a shim is found with its prefix, and sees no host variable [S-29]", async () => {
    process.env["SKILLHOLD_CANARY"] = "canary";
    const python = program("python/bin/python3", "");
    const shim = `#!/bin/sh\n[ -z "$SKILLHOLD_CANARY" ] || exit 1\necho ${python}\necho ${join(folder, "python")}\necho 3.12.1\n`;
    program("shims/python3", shim);
    const runtime = await findRuntime("python", {
      ...host,
      folders: [],
      path: `shims:${join(folder, "shims")}`,
    });
    delete process.env["SKILLHOLD_CANARY"];
    const prefix = join(folder, "python");
    expect(runtime).toEqual({
      program: python,
      version: "3.12.1",
      mounts: [{ source: prefix, target: prefix, isWritable: false }],
    });
  });

  test("that fails, gives a wrong answer or is closed to the user is skipped [S-29]", async () => {
    program("broken/python3", "#!/bin/sh\nexit 1\n");
    program("liar/python3", "#!/bin/sh\necho relative; echo /; echo 3\n");
    const inner = program("home/bin/python3", "");
    chmodSync(join(folder, "home"), 0o700);
    program("closed/python3", `#!/bin/sh\necho ${inner}\necho ${join(folder, "home")}\necho 3.12.1\n`);
    const path = ["broken", "liar", "closed"].map((name) => join(folder, name)).join(":");
    const closed = { ...host, folders: [], path, isRoot: true };
    await expect(findRuntime("python", closed)).rejects.toMatchObject({ code: "NOT_READY" });
    expect((await findRuntime("python", { ...closed, isRoot: false })).program).toBe(inner);
  });

  test("that is missing is reported with its install command [S-29]", async () => {
    const missing = findRuntime("ruby", { ...host, folders: [] });
    await expect(missing).rejects.toMatchObject({
      code: "NOT_READY",
      hint: "Install it system-wide: apt-get install ruby",
    });
  });
});
