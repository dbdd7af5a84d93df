import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { findMarked, newMark } from "./marked-process.fixture.ts";
import { POOLS } from "./run-place.ts";
import { findRuntime } from "./runtime.ts";
import { type Bench, makeBench } from "./trial.fixture.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;

describe.runIf(isLinux)("a program in bubblewrap", () => {
  const sandbox = bubblewrap();
  let bench: Bench;
  beforeAll(async () => {
    bench = await makeBench();
  });
  afterAll(() => bench.remove());

  test("can read its skill but not change it [S-29]", async () => {
    const script = "cat /skill/SKILL.md; echo x > /skill/SKILL.md; touch /skill/new; rm /skill/SKILL.md";
    const { stdout, stderr, code } = await bench.run(sandbox, script);
    expect(stdout).toBe("the skill");
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
    expect(code).not.toBe(0);
    expect(readFileSync(join(bench.skill, "SKILL.md"), "utf8")).toBe("the skill");
    expect(existsSync(join(bench.skill, "new"))).toBe(false);
  });

  test("works in its own empty folder, and its files are collected [S-29]", async () => {
    const script =
      "pwd; ls -A; mkdir out; echo result > out/a.txt; printf run > b; chmod +x b; echo t > /tmp/t";
    const { stdout, files, collected } = await bench.run(sandbox, script);
    expect(stdout).toBe("/work\n");
    expect(files).toEqual({ "out/a.txt": "result\n", b: "run" });
    expect(collected.refused).toEqual([]);
  });

  test("sees only the system's programs on the disk [S-29]", async () => {
    const { stdout } = await bench.run(
      sandbox,
      "ls -A /; ls -A /etc | grep -cE 'shadow|ssh|machine-id'; ls -A /run /tmp",
    );
    const names = stdout.split("\n");
    expect(names).toEqual(expect.arrayContaining(["usr", "skill", "work", "proc", "dev", "tmp", "etc"]));
    for (const name of ["home", "root", "var", "mnt", "srv", "boot", "sys"])
      expect(names).not.toContain(name);
    expect(names).toContain("0");
  });

  test("can write only to its private folders and standard devices [S-29]", async () => {
    const script =
      "find / \\( -path /usr -o -path /proc \\) -prune -o -writable \\( -type d -o -type f \\) -print 2>/dev/null; find /proc -writable -type f -not -path '/proc/[0-9]*' -exec test -f {} ';' -print 2>/dev/null; for d in / /etc /dev /usr /proc/self; do touch $d/x 2>/dev/null && echo wrote $d; done; true";
    const { stdout } = await bench.run(sandbox, script);
    const devices = ["full", "null", "pts", "random", "shm", "tty", "urandom", "zero"].map(
      (name) => `/dev/${name}`,
    );
    const marker = /^\/run\/[0-9a-f]{32}$/;
    const found = stdout
      .trim()
      .split("\n")
      .filter((path) => !marker.test(path));
    expect(found.sort()).toEqual([...devices, "/run", "/tmp", "/work"]);
  });

  test("gets the default and the given variables, and none of the host's [S-29]", async () => {
    process.env["SKILLHOLD_CANARY"] = "canary-of-the-host";
    const command = () => ({ argv: ["/usr/bin/env"] as const, env: { GIVEN: "value" } });
    const { stdout } = await bench.run(sandbox, "", { command });
    delete process.env["SKILLHOLD_CANARY"];
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.sort()).toEqual(["GIVEN", "HOME", "LANG", "PATH", "PWD", "TMPDIR", "TZ"]);
    expect(stdout).toContain("HOME=/work\n");
    expect(stdout).toContain("GIVEN=value\n");
  });

  test("has its secrets in no command line, neither on the host nor of its own first process [S-33]", async () => {
    const [secret, mark] = [newMark(), newMark()];
    const script = `cat /proc/1/environ /proc/1/cmdline | tr "\\0" " "; echo; echo "$TOKEN"; sleep 30.${mark}`;
    const command = () => ({ argv: ["/bin/sh", "-c", script] as const, env: { TOKEN: secret } });
    const running = await sandbox.start(bench.spec("", { command }));
    const output = text(running.stdout);
    running.stderr.resume();
    await expect.poll(() => sleepers(mark)).toHaveLength(1);
    expect(findMarked(secret)).toEqual([]);
    running.kill();
    await running.dispose();
    const [init, own] = (await output).trim().split("\n");
    expect(own).toBe(secret);
    expect(init).not.toContain(secret);
    expect(init).toMatch(/bwrap --args \d+ -- /);
  });

  test("rejects variables that change which code is loaded [S-29]", async () => {
    for (const name of ["LD_PRELOAD", "LD_LIBRARY_PATH", "GLIBC_TUNABLES", "A B", ""]) {
      const command = () => ({ argv: ["/bin/true"] as const, env: { [name]: "x" } });
      const refused = sandbox.start(bench.spec("", { command }));
      await expect(refused).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    }
  });

  test("has exactly three descriptors, none of the host's [S-29]", async () => {
    const { stdout } = await bench.run(sandbox, "exec ls -l /proc/self/fd");
    const lines = stdout
      .split("\n")
      .flatMap((line) => / (\d+) -> (.*)$/.exec(line)?.slice(1, 3).join(" ") ?? []);
    const open = lines.filter((line) => !/^\d+ (?:\/dev\/null|\/proc\/\d+\/fd)$/.test(line));
    expect(open.map((line) => line.split(" ")[0])).toEqual(["0", "1", "2"]);
  });

  test("can open its input and outputs by name, which reveal no path of the host [S-29]", async () => {
    const script =
      "cat /dev/stdin; cat /dev/stdin; echo x >&0; echo out > /dev/stdout; echo error > /dev/stderr; readlink /proc/self/fd/0 /proc/$$/fd/1 /proc/$$/fd/2";
    const { stdout, stderr } = await bench.run(sandbox, script, {}, { stdin: "in\n" });
    expect(stdout).toMatch(/^in\nout\n(?:pipe:\[\d+\]\n){3}$/);
    expect(stderr).toContain("error\n");
  });

  test("has an input that it can only read, and that ends [S-29]", async () => {
    const { stdout } = await bench.run(
      sandbox,
      "wc -c; echo x >&0 || echo refused",
      {},
      { stdin: "a".repeat(300_000) },
    );
    expect(stdout).toBe("300000\nrefused\n");
  });

  test("communicates over descriptors 3 and 4 when it has a channel [S-32]", async () => {
    const running = await sandbox.start(bench.spec("cat <&3 >&4; echo done", { hasChannel: true }));
    const received = running.channel === undefined ? undefined : text(running.channel.receive);
    running.channel?.send.end("ping\n");
    running.stderr.resume();
    expect(await text(running.stdout)).toBe("done\n");
    expect(await received).toBe("ping\n");
    await running.dispose();
  });

  test("sees only its own processes, as an unprivileged user [S-29]", async () => {
    const script =
      "ls -d /proc/[0-9]* | wc -l; id -u; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status; hostname";
    const { stdout } = await bench.run(sandbox, script);
    const [processes, user, ...status] = stdout.trim().split("\n");
    expect(Number(processes)).toBeLessThanOrEqual(4);
    expect(user).toBe("1000");
    expect(status).toEqual(["CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "skill"]);
  });

  test("a network opens no server of the host, by address or through the proxy [S-29]", async () => {
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const reach = `: <>/dev/tcp/127.0.0.1/${port} && echo direct
      exec 5<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n' >&5; head -1 <&5`;
    const command = () => ({ argv: ["/bin/bash", "-c", reach] as const, env: {} });
    expect((await bench.run(sandbox, "", { command })).stdout).toBe("");
    for (const network of ["open", { hosts: ["127.0.0.1"] }] as const) {
      const { stdout, refused } = await bench.run(sandbox, "", { command, network });
      expect([stdout.trim(), refused]).toEqual(["HTTP/1.1 403 Forbidden", ["127.0.0.1"]]);
    }
    const own = `127.0.0.1:${port}`;
    const network = { hosts: [own], privateHosts: [own] };
    expect((await bench.run(sandbox, "", { command, network })).stdout.trim()).toBe(
      "HTTP/1.1 200 Connection Established",
    );
    server.close();
  });

  test("passes no descriptor of the proxy to the program [S-29]", async () => {
    const list = async (network: "none" | "open") =>
      (await bench.run(sandbox, "ls /proc/self/fd; env | grep CHANNEL", { network })).stdout;
    expect(await list("open")).toBe(await list("none"));
  });

  test("can write to a writable mount, but to no other and not to the kernel [S-29]", async () => {
    const shared = join(bench.folder, "shared");
    const input = join(bench.folder, "input");
    for (const folder of [shared, input]) mkdirSync(folder, { mode: 0o700 });
    await writeFile(join(input, "in.txt"), "input");
    const mounts = [
      { source: shared, target: "/mnt/shared", isWritable: true },
      { source: input, target: "/mnt/input", isWritable: false },
    ];
    const script =
      "cp /mnt/input/in.txt /mnt/shared/out.txt; touch /mnt/input/x; id -u; find /proc -writable -type f -not -path '/proc/[0-9]*' -exec test -f {} ';' -print 2>/dev/null; grep CapEff /proc/self/status; echo mine > mine";
    const { stdout, stderr, files } = await bench.run(sandbox, script, { mounts });
    expect(readFileSync(join(shared, "out.txt"), "utf8")).toBe("input");
    expect(statSync(join(shared, "out.txt")).uid).toBe(process.getuid?.());
    expect(stderr).toContain("Read-only file system");
    expect(stdout).toBe("1000\nCapEff:\t0000000000000000\n");
    expect(files).toEqual({ mine: "mine\n" });
  });

  test("rejects mounts that would break the sandbox [S-29]", async () => {
    const bad = [
      { source: "/proc", target: "/mnt/p" },
      { source: "/sys/fs", target: "/mnt/s" },
      { source: bench.skill, target: "/proc/x" },
      { source: bench.skill, target: "/etc" },
      { source: bench.skill, target: "/mnt/../usr" },
      { source: "relative", target: "/mnt/r" },
    ];
    for (const mount of bad) {
      const refused = sandbox.start(bench.spec("true", { mounts: [{ ...mount, isWritable: false }] }));
      await expect(refused).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    }
  });

  test("does not run when a mount was replaced after its check [S-29]", async () => {
    const shared = join(bench.folder, "replaced");
    const secret = join(bench.folder, "secret");
    for (const folder of [shared, secret]) mkdirSync(folder);
    await writeFile(join(secret, "secret.txt"), "secret");
    const group = {
      add: async () => {},
      cpuMs: () => 0,
      wasOutOfMemory: () => false,
      remove: async () => {},
    };
    /** Called between the check of the mounts and the start of bubblewrap. */
    const create = () => {
      renameSync(shared, `${shared}-before`);
      symlinkSync(secret, shared);
      return group;
    };
    const holds = { memory: true, processes: true, cpu: true };
    const raced = bubblewrap({ groups: { version: 2, holds, create } });
    const mounts = [{ source: shared, target: "/mnt/shared", isWritable: true }];
    const started = bench.run(raced, "cat /mnt/shared/secret.txt; touch /mnt/shared/made", { mounts });
    await expect(started).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(readdirSync(secret)).toEqual(["secret.txt"]);
  });

  test.runIf(isRoot)("reads no file that only root can read, also with folders of root [S-29]", async () => {
    const mounts = [{ source: bench.skill, target: "/mnt/skill", isWritable: false }];
    const ofRoot = readdirSync("/proc").filter((name) => {
      const stats = /^\d/.test(name) ? undefined : statSync(`/proc/${name}`, { throwIfNoEntry: false });
      return stats?.isFile() === true && (stats.mode & 0o004) === 0;
    });
    expect(ofRoot).toContain("slabinfo");
    const names = [...ofRoot, "keys", "key-users"].join(" ");
    const script = `for name in ${names}; do head -c 1 /proc/$name >/dev/null 2>&1 && echo $name; done; true`;
    expect((await bench.run(sandbox, script, { mounts })).stdout).toBe("");
  });

  test("is killed with all its processes, including detached ones [S-29]", async () => {
    const mark = newMark();
    const script = `setsid sh -c 'setsid sleep 31.${mark} </dev/null >/dev/null 2>&1 &' ; sleep 31.${mark}`;
    const running = await sandbox.start(bench.spec(script));
    running.stdout.resume();
    running.stderr.resume();
    await expect.poll(() => sleepers(mark)).toHaveLength(2);
    running.kill();
    expect(await running.exited).toMatchObject({ code: 137, signal: "SIGKILL" });
    expect(findMarked(mark)).toEqual([]);
    await running.dispose();
  });

  test("leaves no process behind when it exits [S-29]", async () => {
    const mark = newMark();
    const { code } = await bench.run(sandbox, `setsid sleep 32.${mark} >/dev/null 2>&1 & exit 3`);
    expect(code).toBe(3);
    expect(findMarked(mark)).toEqual([]);
  });

  test("does not see concurrent runs [S-29]", async () => {
    const runs = Array.from({ length: 8 }, (_, index) =>
      bench.run(sandbox, `echo ${index} > mine; sleep 0.2; ls; ls -d /proc/[0-9]* | wc -l`),
    );
    const trials = await Promise.all(runs);
    expect(trials.map(({ files }) => files)).toEqual(trials.map((_, index) => ({ mine: `${index}\n` })));
    for (const { stdout } of trials) {
      expect(stdout.split("\n")[0]).toBe("mine");
      expect(Number(stdout.split("\n")[1])).toBeLessThanOrEqual(4);
    }
  });

  test("can be Node in any install location [S-29]", async () => {
    const { program, mounts: runtimes } = await findRuntime("node");
    const trial = await bench.run(sandbox, "", {
      runtimes,
      command: (paths) => ({
        argv: [paths.of(program), "-p", "process.version + require('os').userInfo().username"],
        env: {},
      }),
    });
    expect(trial).toMatchObject({ code: 0, stdout: `${process.version}skill\n` });
  });

  test("does not run when it cannot be confined, and the message contains bubblewrap's error [S-29]", async () => {
    const missing = sandbox.start(bench.spec("true", { skill: join(bench.folder, "nowhere") }));
    await expect(missing).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: expect.stringMatching(/nowhere/),
    });
    const broken = bubblewrap({ bwrap: "/usr/bin/false" }).start(bench.spec("true"));
    await expect(broken).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
    const absent = bubblewrap({ bwrap: "/nowhere/bwrap" }).start(bench.spec("true"));
    await expect(absent).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
  });

  test("is probed before use, and a missing part is reported [S-29]", async () => {
    const probe = await sandbox.probe();
    expect(probe).toMatchObject({
      id: "bubblewrap",
      isAvailable: true,
      version: expect.stringMatching(/^\d+\.\d+/),
    });
    expect(probe.checks.filter(({ isConfined }) => !isConfined)).toEqual([]);
    expect(await sandbox.probe()).toBe(probe);
    const host = { platform: "linux", path: "", osRelease: "/nowhere", folders: [] };
    const absent = await bubblewrap({ host }).probe();
    expect(absent).toMatchObject({
      isAvailable: false,
      problem: { hint: expect.stringContaining("bubblewrap") },
    });
    expect((await bubblewrap({ bwrap: "/nowhere/bwrap" }).probe()).isAvailable).toBe(false);
  });

  test.runIf(isRoot)("runs as another host user when root starts it [S-29]", async () => {
    const mark = newMark();
    const running = await sandbox.start(bench.spec(`sleep 33.${mark}`));
    running.stdout.resume();
    running.stderr.resume();
    await expect.poll(() => sleepers(mark)).toHaveLength(1);
    const uid = statSync(`/proc/${sleepers(mark)[0]?.pid}`).uid;
    expect(POOLS.some(({ first, count }) => uid >= first && uid < first + count)).toBe(true);
    await running.dispose();
  });
});

const sleepers = (mark: string) => findMarked(mark).filter(({ argv }) => argv[0] === "sleep");
