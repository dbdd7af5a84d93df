import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { Fetcher, readSource, resolveSource, systemGit } from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import { expect, test } from "vitest";
import { findProgram } from "../system-program.ts";
import { skillText } from "./git-server.fixture.ts";

const sshd = findProgram("/usr/sbin/sshd");
const USER = 1000;

/**
 * A user namespace with one ordinary user of its own: sshd then needs no account, folder or right of the machine, and
 * its login shell is a real one.
 */
function boxed(folder: string, argv: readonly string[]): readonly string[] {
  const accounts = join(folder, "passwd");
  writeFileSync(accounts, `git:x:${USER}:${USER}::${folder}:/bin/sh\n`);
  const user = ["--unshare-user", "--uid", String(USER), "--gid", String(USER)];
  return [
    "--die-with-parent",
    ...user,
    "--dev-bind",
    "/",
    "/",
    "--ro-bind",
    accounts,
    "/etc/passwd",
    ...argv,
  ];
}

// Without a network on the first run, there is no sshd: the package is openssh-server of Debian.
test.skipIf(sshd === undefined)(
  "a deploy key fetches a skill over ssh; needs the package openssh-server [S-47]",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "skillhold-sshd-"));
    chmodSync(folder, 0o700);
    const git = (...args: readonly string[]) =>
      execFileSync("git", args, { cwd: join(folder, "tree"), stdio: "pipe" });
    for (const key of ["host", "deploy"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    mkdirSync(join(folder, "tree/skills/pdf"), { recursive: true });
    writeFileSync(join(folder, "tree/skills/pdf/SKILL.md"), skillText("pdf"));
    git("init", "--quiet", "--initial-branch=main");
    git("add", ".");
    git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "one");
    const port = await freePort();
    const key = (name: string) => readFileSync(join(folder, `${name}.pub`), "utf8").trim();
    writeFileSync(join(folder, "authorized"), `${key("deploy")}\n`);
    writeFileSync(join(folder, "known"), `localhost ${key("host").split(" ").slice(0, 2).join(" ")}\n`);
    const settings = [
      `Port=${port}`,
      "ListenAddress=127.0.0.1",
      `HostKey=${join(folder, "host")}`,
      `AuthorizedKeysFile=${join(folder, "authorized")}`,
      "StrictModes=no",
      "UsePAM=no",
      `PidFile=${join(folder, "pid")}`,
    ];
    const { path = "", env } = sshd ?? {};
    const argv = [path, "-D", "-e", "-f", "/dev/null", ...settings.flatMap((each) => ["-o", each])];
    const server = spawn("bwrap", boxed(folder, argv), {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      await new Promise<void>((resolve, reject) => {
        server.stderr.on("data", (chunk: Buffer) => chunk.includes("Server listening") && resolve());
        server.once("exit", () => reject(new Error("sshd ended.")));
      });
      const policy = { isPrivateAllowed: () => true, isPlainAllowed: () => false };
      const fetcher = new Fetcher({ resolve: async () => ["127.0.0.1"], policy, limits: defaultLimits });
      const ssh = { key: join(folder, "deploy"), knownHosts: join(folder, "known") };
      const runGit = systemGit({
        launch,
        pins: fetcher.pins,
        env: { PATH: process.env["PATH"] },
        isPlainAllowed: () => false,
        ssh,
      });
      const work = join(folder, "work");
      const ports = { fetcher, git: runGit, settings: { cwd: folder }, limits: defaultLimits, work };
      const resolved = await resolveSource(
        readSource(`ssh://git@localhost:${port}${join(folder, "tree")}`),
        ports,
      );
      expect(await resolved.fetch(resolved.skills)).toMatchObject([
        { name: "pdf", origin: { source: "git" } },
      ]);
      writeFileSync(join(folder, "known"), "");
      const refused = resolveSource(readSource(`ssh://git@localhost:${port}${join(folder, "tree")}`), ports);
      await expect(refused).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    } finally {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
