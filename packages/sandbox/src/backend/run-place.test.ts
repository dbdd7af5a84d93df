import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { WORK } from "./bubblewrap-option.ts";
import { findPlace } from "./run-place.ts";
import { makeStage, removeStage } from "./stage.ts";
import { type Bench, makeBench } from "./trial.fixture.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
const OWNER = 54_321;

describe.runIf(isLinux)("a mount of a run", () => {
  const sandbox = bubblewrap();
  let bench: Bench;
  beforeAll(async () => {
    bench = await makeBench();
  });
  afterAll(() => bench.remove());

  const folderOf = (name: string, uid = process.getuid?.() ?? 0): string => {
    const folder = join(bench.folder, name);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "file"), "of the host", { mode: 0o600 });
    for (const path of [folder, join(folder, "file")]) if (isRoot) chownSync(path, uid, uid);
    return folder;
  };
  const mounted = (source: string, isWritable = false) => ({ source, target: "/mnt/it", isWritable });

  test("is never a socket, pipe, device or system folder [S-29]", async () => {
    const folder = folderOf("special");
    const server = createServer().listen(join(folder, "socket"));
    execFileSync("/usr/bin/mkfifo", [join(folder, "fifo")]);
    symlinkSync(join(folder, "socket"), join(folder, "link"));
    symlinkSync("/run", join(folder, "run"));
    const sources = [
      ...["socket", "fifo", "link", "run", "missing"].map((name) => join(folder, name)),
      ...["/dev/null", "/run", "/var/run", "/proc/self", "/sys/kernel", "/run/lock"],
    ];
    for (const source of sources) {
      const refused = sandbox.start(bench.spec("true", { mounts: [mounted(source)] }));
      await expect(refused, source).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: expect.stringContaining(source),
      });
    }
    const overWork = sandbox.start(bench.spec("true", { mounts: [{ ...mounted(folder), target: "/work" }] }));
    await expect(overWork).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    server.close();
  });

  test("is the real file behind a link [S-29]", async () => {
    const folder = folderOf("linked");
    symlinkSync(join(folder, "file"), join(folder, "link"));
    const { stdout } = await bench.run(sandbox, "cat /mnt/it", { mounts: [mounted(join(folder, "link"))] });
    expect(stdout).toBe("of the host");
  });

  test("is not collected when it is inside the working folder [S-29]", async () => {
    const folder = folderOf("collected");
    const mounts = [
      { source: join(folder, "file"), target: `${WORK}/.config/tool.json`, isWritable: false },
      { source: folder, target: `${WORK}/shared`, isWritable: false },
    ];
    const script = "cat .config/tool.json shared/file; echo mine > .config/mine";
    const { stdout, files, collected } = await bench.run(sandbox, script, { mounts });
    expect(stdout).toBe("of the hostof the host");
    expect(files).toEqual({ ".config/mine": "mine\n" });
    expect(collected.refused).toEqual([]);
  });

  test("keeps no set-id bit that the program sets [S-29]", async () => {
    const folder = folderOf("shared");
    const script = `cd /mnt/it; cp /bin/sh sh; chmod 4755 sh; chmod u+s sh; chmod 2755 .; install -m 6755 sh in
      cp /bin/sh plain; chmod 0755 plain; mkdir -m 1777 sticky; ls`;
    const { stdout, stderr } = await bench.run(sandbox, script, { mounts: [mounted(folder, true)] });
    expect(stdout.split("\n")).toEqual(expect.arrayContaining(["sh", "plain", "sticky"]));
    expect(stderr).toContain("Operation not permitted");
    for (const name of [".", ...readdirSync(folder)]) {
      expect(statSync(join(folder, name)).mode & 0o6000, name).toBe(0);
    }
    expect(statSync(join(folder, "plain")).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, "sticky")).mode & 0o7777).toBe(0o1777);
  });

  test("works with ordinary programs [S-29]", async () => {
    const folder = folderOf("tools");
    const script = `set -e; cd /mnt/it; mkdir -p a/b; echo x > a/b/f; chmod 640 a/b/f; touch -d 2001-01-01 a/b/f
      cp -pr a c; tar cpf a.tar a; mkdir d; tar xpf a.tar -C d; mv d/a e; ln -s e l; rm -r c
      stat -c '%a %y' e/b/f | cut -c1-14`;
    const { stdout, stderr, code } = await bench.run(sandbox, script, { mounts: [mounted(folder, true)] });
    expect({ stdout, stderr, code }).toEqual({ stdout: "640 2001-01-01\n", stderr: "", code: 0 });
  });

  describe.runIf(isRoot)("when root starts it", () => {
    test("is a copy for a small read-only file, and the user is unprivileged [S-29]", async () => {
      const file = join(folderOf("config"), "file");
      const parts = { mounts: [mounted(file)], network: "open" } as const;
      const place = await findPlace(bench.spec("", parts));
      const [copy] = place.mounts;
      expect(place.user).toMatchObject({ isAlone: true });
      expect(copy).toMatchObject({ target: "/mnt/it", isWritable: false });
      expect(copy?.source).not.toBe(file);
      expect(lstatSync(copy?.source ?? "")).toMatchObject({ uid: 0, gid: place.user?.gid });
      expect(lstatSync(copy?.source ?? "").mode & 0o777).toBe(0o440);
      await place.release();
      expect(existsSync(dirname(copy?.source ?? ""))).toBe(false);
      const { stdout } = await bench.run(sandbox, "cat /mnt/it; echo x >> /mnt/it", parts);
      expect(stdout).toBe("of the host");
      expect(readFileSync(file, "utf8")).toBe("of the host");
    });

    test("uses its owner as the user of the run, unless that is root [S-29]", async () => {
      const folder = folderOf("ada", OWNER);
      const parts = { mounts: [mounted(folder, true)], network: "open" } as const;
      const { stdout, enforced } = await bench.run(
        sandbox,
        "cat /mnt/it/file; echo x > /mnt/it/new; id -u",
        parts,
      );
      expect(stdout).toBe("of the host1000\n");
      expect(statSync(join(folder, "new"))).toMatchObject({ uid: OWNER, gid: OWNER });
      expect(enforced.processes).toBe("run");
    });

    test("never adds root's group [S-29]", async () => {
      const folder = folderOf("group", OWNER);
      chownSync(folder, OWNER, 0);
      const { user } = await findPlace(bench.spec("", { mounts: [mounted(folder)] }));
      expect(user).toEqual({ uid: OWNER, gid: OWNER, isAlone: false });
    });

    test("is closed to other users while the program runs [S-29]", async () => {
      const stage = await makeStage();
      const skill = join(stage, "skill");
      mkdirSync(skill);
      chmodSync(skill, 0o755);
      writeFileSync(join(skill, "private.md"), "private", { mode: 0o644 });
      const running = await sandbox.start(
        bench.spec("cat /skill/private.md; read line; cat /skill/private.md", { skill }),
      );
      const chunks: string[] = [];
      running.stderr.resume();
      running.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
      await expect.poll(() => chunks.length).toBeGreaterThan(0);
      const asOther = () =>
        execFileSync("/bin/cat", [join(skill, "private.md")], { uid: OWNER, gid: OWNER, stdio: "pipe" });
      expect(asOther).toThrow("Permission denied");
      expect(lstatSync(stage)).toMatchObject({ uid: 0, gid: 0 });
      running.stdin.end("\n");
      await running.exited;
      await running.dispose();
      expect(chunks.join("")).toBe("privateprivate");
      await removeStage(stage);
    });
  });
});
