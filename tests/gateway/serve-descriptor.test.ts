import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { compileCache } from "../compile-cache.ts";

const bin = fileURLToPath(new URL("../../packages/skillhold/bin/skillhold.js", import.meta.url));
const FILES = 300;
const folder = mkdtempSync(join(tmpdir(), "skillhold-descriptor-"));
const sockets: Socket[] = [];
let stop = async () => {};
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(process.platform === "win32")(
  "a gateway that runs out of file descriptors recovers [S-53]",
  async () => {
    const command = `ulimit -n ${FILES} && exec "$0" "$@"`;
    const args = ["serve", "--port", "0", "--data", folder, "--no-seed", "--json"];
    const child = spawn("sh", ["-c", command, process.execPath, bin, ...args], {
      env: { PATH: process.env["PATH"], HOME: folder, ...compileCache },
      stdio: ["ignore", "pipe", "ignore"],
    });
    stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "close");
    };
    const [line] = await once(child.stdout, "data");
    const { url } = JSON.parse(String(line)).data;
    const port = Number(new URL(url).port);
    for (let count = 0; count < 2 * FILES; count += 1) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      sockets.push(socket);
    }
    // The kernel accepts connections that the process has no descriptor for.
    await Promise.all(
      sockets.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])),
    );
    for (const socket of sockets) socket.destroy();
    const health = async () =>
      (await fetch(`${url}/healthz`, { headers: { connection: "close" } }).catch(() => undefined))?.status;
    await expect.poll(health).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(child.exitCode).toBeNull();
  },
);
