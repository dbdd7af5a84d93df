import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCache } from "../compile-cache.ts";

const bin = fileURLToPath(new URL("../../packages/skillhold/bin/skillhold.js", import.meta.url));

/**
 * Starts a gateway once and ends it in order, beside the first tests. Node saves compiled code at an orderly end, and the
 * tests kill their gateways: without this, each of them compiles its modules again.
 */
export function setup(): () => Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "skillhold-cache-"));
  const gateway = spawn(process.execPath, [bin, "serve", "--port", "0", "--no-seed", "--json"], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, ...compileCache },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(gateway, "exit");
  // The first line of its output says that it is ready.
  gateway.stdout.once("data", () => gateway.kill("SIGTERM"));
  return async () => {
    gateway.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
}
