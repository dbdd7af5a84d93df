import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";

const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, "postgres-cluster.ts")).href);
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-cluster-"));
  // The server runs as another user, who needs access to the folder.
  chmodSync(root, 0o711);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A process with a cluster and its own folder for temporary files. */
function start(code: string) {
  const script = `import { startPostgres } from ${module};
    const cluster = await startPostgres({ isDurable: false });
    process.stdout.write(await cluster.createDatabase());
    ${code}`;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script];
  const env = { ...process.env, TMPDIR: root };
  return spawn(process.execPath, flags, { env, stdio: ["ignore", "pipe", "inherit"] });
}

async function isUp(url: string): Promise<boolean> {
  const client = postgres(url, { max: 1, connect_timeout: 30 });
  try {
    const [row] = await client`select current_setting('is_superuser') as is_superuser`;
    return row !== undefined;
  } catch {
    // The process no longer exists.
    return false;
  } finally {
    await client.end({ timeout: 1 });
  }
}

test("a stopped cluster leaves no process and no file [S-64]", async () => {
  const child = start("await cluster.stop(); await cluster.stop();");
  const [url] = await once(child.stdout, "data");
  expect(await once(child, "close")).toEqual([0, null]);
  expect(await isUp(String(url))).toBe(false);
  expect(readdirSync(root)).toEqual([]);
});

test.skipIf(!existsSync("/usr/bin/setpriv"))(
  "a cluster ends with the process that started it, even if that is killed (needs Linux's setpriv) [S-64]",
  async () => {
    const child = start("setInterval(() => {}, 1000);");
    const url = String((await once(child.stdout, "data"))[0]);
    expect(await isUp(url)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(() => isUp(url)).toBe(false);
  },
);
