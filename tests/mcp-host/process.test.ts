import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "@skillhold/core/source";
import { type McpLibrary, openMcpLibrary, refusalOf } from "@skillhold/mcp/host";
import { withLimits } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";

const anyone = { runtime: "test" };
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const clock = { now: () => new Date() };
const program = join(import.meta.dirname, "plain-server.ts");
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-process-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(manner: string, limits: Readonly<Record<string, number>> = {}, env = {}): Promise<McpLibrary> {
  const args = [program, manner, join(folder, "starts")];
  const server = { command: process.execPath, args, env, cwd: folder };
  return openMcpLibrary({ label: "plain", server }, { host, clock, limits: withLimits(limits) });
}

function starts(): number {
  return readFileSync(join(folder, "starts"), "utf8").trim().split("\n").length;
}

async function metadata(library: McpLibrary): Promise<Readonly<Record<string, unknown>>> {
  const entry = await library.find(anyone, "plain");
  return entry?.metadata ?? {};
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie process still has its pid.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test.each([
  ["old", "refuses the newer one", 1, 45_000],
  // Half of its time goes by before it is spoken to in the older one.
  ["silent", "does not answer in the newer one", 1, 8000],
  ["exits", "ends when it is spoken to in the newer one", 2, 45_000],
])(
  "connects to a server of the older protocol (%s) that %s, in %i starts [S-57]",
  async (manner, _, expected, mcpConnectMs) => {
    const library = await start(manner, { mcpConnectMs });
    try {
      expect(library.state().problem).toBeUndefined();
      expect((await library.read(anyone, "plain")).body).toBe("Plain.\n");
      expect(starts()).toBe(expected);
    } finally {
      await library.close();
    }
  },
);

test("a server process gets PATH, HOME, LANG and the configured variables and folder [S-57]", async () => {
  process.env["SKILLHOLD_TEST_SECRET"] = "hidden";
  const library = await start("old", {}, { API_URL: "https://api.example" });
  try {
    const { env, cwd } = await metadata(library);
    const names = String(env).split(",");
    expect(names.filter((name) => !["PATH", "HOME", "LANG"].includes(name))).toEqual(
      expect.arrayContaining(["API_URL", "SKILLHOLD_MCP_SOURCE"]),
    );
    expect(names).not.toContain("SKILLHOLD_TEST_SECRET");
    expect(names.length).toBeLessThanOrEqual(5);
    expect(cwd).toBe(folder);
  } finally {
    delete process.env["SKILLHOLD_TEST_SECRET"];
    await library.close();
  }
});

test("kills a server process that does not exit, with its children [S-57]", async () => {
  const library = await start("stays");
  const pids = String((await metadata(library))["pids"])
    .split(",")
    .map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.map(isRunning)).toEqual([true, true]);
  await library.close();
  await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
});

test.each([
  ["hangs", "never answers", "MCP_TIMED_OUT"],
  ["rubbish", "prints rubbish", "MCP_TIMED_OUT"],
])("a program (%s) that %s is given up, and leaves nothing running [S-57]", async (manner, _, code) => {
  const library = await start(manner, { mcpConnectMs: 1500 });
  expect(refusalOf(library.state().problem)).toBe(code);
  expect(await library.list(anyone)).toEqual([]);
  await library.close();
  // The file is missing if the program was stopped before it wrote its process id.
  const text = existsSync(join(folder, "starts")) ? readFileSync(join(folder, "starts"), "utf8") : "";
  const pids = text.split("\n").filter(Boolean).map(Number);
  await expect.poll(() => pids.map(isRunning)).toEqual(pids.map(() => false));
});

test("reports a missing program without affecting other sources [S-57]", async () => {
  const server = { command: "skillhold-no-such-program" };
  const library = await openMcpLibrary({ label: "gone", server }, { host, clock });
  const { problem } = library.state();
  expect([refusalOf(problem), problem?.message]).toEqual([
    "MCP_UNREACHABLE",
    "The server cannot be reached: spawn skillhold-no-such-program ENOENT",
  ]);
  expect(await library.search(anyone, "anything")).toEqual([]);
  await library.close();
});

test("reports the stderr of a server process that exits [S-57]", async () => {
  const args = ["-e", "console.error('The licence has run out.'); process.exit(1)"];
  const library = await openMcpLibrary(
    { label: "ends", server: { command: process.execPath, args } },
    { host, clock },
  );
  const { problem } = library.state();
  expect(refusalOf(problem)).toBe("MCP_UNREACHABLE");
  expect(problem?.message).toContain("Its stderr was: The licence has run out.");
  await library.close();
});

test("shows no skills of a server that exits during use [S-57]", async () => {
  const library = await start("dies");
  const removed = new Promise((resolve) => library.onChange((change) => resolve(change)));
  await expect(library.read(anyone, "plain")).rejects.toMatchObject({ code: "REMOTE_FAILED" });
  expect(await removed).toEqual({ added: [], changed: [], removed: ["plain"], broken: [] });
  expect(refusalOf(library.state().problem)).toBe("MCP_UNREACHABLE");
  expect(await library.list(anyone)).toEqual([]);
  await library.close();
});

test("closing or aborting a library does not wait for a hanging server [S-57]", async () => {
  const canceling = new AbortController();
  const args = [program, "hangs", join(folder, "starts")];
  const server = { command: process.execPath, args, cwd: folder };
  const opening = openMcpLibrary({ label: "hangs", server }, { host, clock, signal: canceling.signal });
  await expect.poll(() => existsSync(join(folder, "starts"))).toBe(true);
  canceling.abort();
  const library = await opening;
  expect(refusalOf(library.state().problem)).toBe("MCP_UNREACHABLE");
  await library.close();
  const [pid = 0] = readFileSync(join(folder, "starts"), "utf8").trim().split("\n").map(Number);
  await expect.poll(() => isRunning(pid)).toBe(false);
});
