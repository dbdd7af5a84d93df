import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemTimers, type Timers } from "@skillhold/core/port";
import type { Network, Sandbox } from "@skillhold/core/run";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { describe, expect, onTestFinished, test } from "vitest";
import { bubblewrap } from "../backend/bubblewrap.ts";
import { findMarked, newMark } from "../backend/marked-process.fixture.ts";
import { findRuntime } from "../backend/runtime.ts";
import { makeStage, removeStage } from "../backend/stage.ts";
import { unconfined } from "../backend/unconfined.ts";
import { openDeclaredTools } from "./declared-tools.ts";
import { MemoryToolCatalogueCache } from "./tool-catalogue.ts";
import { type Files, hostLimits, hostTiming } from "./tool-host.fixture.ts";

const SCRIPT = `import { readFile, writeFile } from "node:fs/promises";
  import { tool } from "ai";
  import { z } from "zod";
  import { tool as chain } from "@langchain/core/tools";
  const answer = async (work: () => Promise<unknown>) => { try { return await work(); } catch (e) { return "no: " + (e as Error).name; } };
  export const read = tool({ description: "r", inputSchema: z.object({ path: z.string() }),
    execute: ({ path }) => answer(() => readFile(path, "utf8")) });
  export const fetches = tool({ description: "f", inputSchema: z.object({ url: z.string() }),
    execute: ({ url }) => answer(async () => (await fetch(url)).text()) });
  export const edit = tool({ description: "e", inputSchema: z.object({ }),
    execute: () => answer(() => writeFile(new URL(import.meta.url), "changed")) });
  export const env = chain(() => process.env, { name: "env", description: "v", schema: z.object({}) });
  export const own = chain(() => import.meta.url, { name: "own", description: "o", schema: z.object({}) });`;
const PYTHON = `import os
from langchain_core.tools import tool

@tool
async def py_env() -> dict:
    """The variables."""
    print("stray")
    return dict(os.environ)

@tool
def py_read(path: str) -> str:
    """Reads."""
    return open(path).read()
`;

async function open(
  sandbox: Sandbox,
  files: Files,
  timers: Timers = systemTimers,
  network: Network = "none",
) {
  const stage = await makeStage();
  const folder = join(stage, "skill");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, path), text);
  }
  const skill = { id: "text", treeHash: "sha256:1", folder, files: Object.keys(files) };
  const settings = {
    mounts: [],
    network,
    env: { DECLARED: "yes" },
    limits: hostLimits,
    timing: hostTiming,
  } as const;
  const ports = {
    sandbox,
    findRuntime,
    redact: (text: string) => text,
    timers,
    cache: new MemoryToolCatalogueCache(),
  };
  const tools = openDeclaredTools(skill, settings, ports);
  onTestFinished(async () => {
    await tools.close();
    await removeStage(stage);
  });
  return tools;
}

function canary(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-canary-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "canary"), "tweet");
  return join(folder, "canary");
}

async function serve(): Promise<string> {
  const server = createServer((_, response) => response.end("reached")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  // A server on a port has an object as its address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.runIf(process.platform === "linux")("declared tools in bubblewrap", () => {
  test("run in all languages, and see no files, network or variables of the host [S-32]", async () => {
    process.env["SKILLHOLD_TEST_SECRET"] = "host";
    onTestFinished(() => void delete process.env["SKILLHOLD_TEST_SECRET"]);
    const tools = await open(bubblewrap(), { "tools/a.ts": SCRIPT, "tools/b.py": PYTHON });
    const catalogue = await tools.load();
    expect(catalogue.problems).toEqual([]);
    expect(catalogue.tools.map((tool) => tool.toolName).sort()).toEqual([
      "text__edit",
      "text__env",
      "text__fetches",
      "text__own",
      "text__py_env",
      "text__py_read",
      "text__read",
    ]);
    const path = canary();
    await expect(tools.call("read", { path })).resolves.toBe("no: Error");
    await expect(tools.call("py_read", { path })).rejects.toMatchObject({
      details: { code: "FileNotFoundError" },
    });
    await expect(tools.call("fetches", { url: await serve() })).resolves.toBe("no: TypeError");
    await expect(tools.call("edit", {})).resolves.toBe("no: Error");
    await expect(tools.call("own", {})).resolves.toBe("file:///skill/tools/a.ts");
    for (const tool of ["env", "py_env"]) {
      const variables = await tools.call(tool, {});
      expect(variables).toMatchObject({ DECLARED: "yes", HOME: "/work" });
      expect(variables).not.toHaveProperty("SKILLHOLD_TEST_SECRET");
    }
  });

  test("report the hosts that their process did not get when they fail [S-29] [S-32]", async () => {
    const ask = "import urllib.request\nfrom langchain_core.tools import tool\n";
    const code = `${ask}\n@tool\ndef ask(url: str) -> str:\n    """Asks."""\n    return urllib.request.urlopen(url).read().decode()\n`;
    const tools = await open(bubblewrap(), { "tools/a.py": code }, systemTimers, {
      hosts: ["allowed.example.org"],
    });
    await tools.load();
    await expect(tools.call("ask", { url: "http://other.example.org/" })).rejects.toMatchObject({
      code: "TOOL_FAILED",
      hint: expect.stringContaining("network.hosts other.example.org"),
      details: { refusedHosts: ["other.example.org"] },
    });
  });

  test("are killed with all their processes when they do not stop, and run again [S-32]", async () => {
    const mark = newMark();
    const timers = new ManualTimers();
    const tools = await open(
      bubblewrap(),
      {
        "tools/a.mjs": `import { spawn } from "node:child_process";
        export const hangs = { description: "h", execute: () => { spawn("sleep", ["1000.${mark}"], { detached: true }); for (;;); } };
        export const fine = { description: "f", execute: () => "fine" };`,
      },
      timers,
    );
    await tools.load();
    const hanging = tools.call("hangs", {}, { timeoutMs: 30_000 });
    const outcome = expect(hanging).rejects.toMatchObject({ code: "TIMED_OUT" });
    await expect.poll(() => findMarked(mark)).toHaveLength(1);
    timers.advance(30_000);
    await outcome;
    const next = tools.call("fine", {});
    timers.advance(hostTiming.graceMs);
    await expect(next).resolves.toBe("fine");
    expect(findMarked(mark)).toEqual([]);
  });
});

test("without a sandbox the same tools reach what the sandbox hides [S-32]", async () => {
  const tools = await open(unconfined(), { "tools/a.ts": SCRIPT, "tools/b.py": PYTHON });
  const path = canary();
  await tools.load();
  await expect(tools.call("read", { path })).resolves.toBe("tweet");
  await expect(tools.call("py_read", { path })).resolves.toBe("tweet");
  await expect(tools.call("fetches", { url: await serve() })).resolves.toBe("reached");
});
