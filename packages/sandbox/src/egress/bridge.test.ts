import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { currentHost, findBubblewrap } from "../backend/find-bubblewrap.ts";
import { egressPrefix } from "./bridge.ts";

const DESCRIPTOR = 8;

describe.runIf(process.platform === "linux")("the bridge of the egress proxy", () => {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bridge-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** In a network of its own, because the port is fixed. */
  const start = (file: string) => {
    const own = ["--unshare-user", "--unshare-net", "--die-with-parent", "--dev-bind", "/", "/"];
    const command = [...egressPrefix(process.execPath, DESCRIPTOR), "touch", join(folder, file)];
    const stdio = [...Array.from({ length: DESCRIPTOR }, () => "ignore" as const), "ipc" as const];
    return spawn(findBubblewrap(currentHost()), [...own, ...command], { stdio });
  };

  test("becomes the program when the host has its socket [S-29]", async () => {
    const bridge = start("connected");
    await once(bridge, "message");
    bridge.send("received");
    expect(await once(bridge, "exit")).toEqual([0, null]);
    expect(existsSync(join(folder, "connected"))).toBe(true);
  });

  test("ends without the program when the host is gone before it takes the socket [S-29]", async () => {
    const bridge = start("gone");
    bridge.disconnect();
    const [code] = await once(bridge, "exit");
    expect(code).toBe(1);
    expect(existsSync(join(folder, "gone"))).toBe(false);
  });
});
