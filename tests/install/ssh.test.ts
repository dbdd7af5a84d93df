import { execFileSync, spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { Fetcher, readSource, resolveSource, systemGit } from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import { expect, test } from "vitest";
import { skillText } from "./git-server.fixture.ts";

const SSHD = "/usr/sbin/sshd";

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// The suite does not install a server of its own: the package is openssh-server of Debian.
test.skipIf(!isThere(SSHD))(
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
    mkdirSync("/run/sshd", { recursive: true });
    const server = spawn(SSHD, ["-D", "-e", "-f", "/dev/null", ...settings.flatMap((each) => ["-o", each])], {
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
      const user = process.getuid?.() === 0 ? "root" : (process.env["USER"] ?? "");
      const resolved = await resolveSource(
        readSource(`ssh://${user}@localhost:${port}${join(folder, "tree")}`),
        ports,
      );
      expect(await resolved.fetch(resolved.skills)).toMatchObject([
        { name: "pdf", origin: { source: "git" } },
      ]);
      writeFileSync(join(folder, "known"), "");
      const refused = resolveSource(
        readSource(`ssh://${user}@localhost:${port}${join(folder, "tree")}`),
        ports,
      );
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
