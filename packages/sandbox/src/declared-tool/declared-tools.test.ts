import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { SkillError } from "@skillhold/protocol/error";
import { expect, onTestFinished, test } from "vitest";
import { openDeclaredTools } from "./declared-tools.ts";
import { cachedTools, MemoryToolCatalogueCache } from "./tool-catalogue.ts";
import {
  directPorts,
  directSandbox,
  type Files,
  hostLimits,
  hostTiming,
  skillFolder,
} from "./tool-host.fixture.ts";
import type { ToolHostPorts } from "./tool-host-spec.ts";

const PYTHON = `from langchain_core.tools import tool
@tool
def reverse(text: str) -> str:
    """Reverses."""
    return text[::-1]
@tool
def count(text: str) -> int:
    """Counts, in Python."""
    return len(text)
`;
const SCRIPT = `export default { name: "count", description: "Counts, in JavaScript.", execute: () => "script" };`;
const mixed = {
  "SKILL.md": "",
  "tools/count.mjs": SCRIPT,
  "tools/text.py": PYTHON,
  "tools/_helper.mjs": "throw 1;",
  "tools/broken.py": "import nothing_like_this",
};

function open(files: Files, ports: Partial<ToolHostPorts> = {}, startMs = hostTiming.startMs) {
  const cache = new MemoryToolCatalogueCache();
  const sandbox = directSandbox();
  const skill = { id: "text", treeHash: "sha256:1", folder: skillFolder(files), files: Object.keys(files) };
  const timing = { ...hostTiming, startMs };
  const settings = { mounts: [], network: "none", env: {}, limits: hostLimits, timing } as const;
  const tools = openDeclaredTools(skill, settings, { ...directPorts(), sandbox, ...ports, cache });
  onTestFinished(() => tools.close());
  return { tools, cache, sandbox, skill };
}

test("lists the tools of all languages together, named after their skill [S-32]", async () => {
  const { tools } = open(mixed);
  const catalogue = await tools.load();
  expect(catalogue.tools.map(({ toolName, name, skill, file }) => [toolName, name, skill, file])).toEqual([
    ["text__count", "count", "text", "tools/count.mjs"],
    ["text__reverse", "reverse", "text", "tools/text.py"],
  ]);
  expect(catalogue.problems).toEqual([
    { file: "tools/broken.py", message: expect.stringContaining("nothing_like_this") },
    { file: "tools/text.py", message: "Another tool has the name count." },
  ]);
  await expect(tools.call("count", {})).resolves.toBe("script");
  await expect(tools.call("reverse", { text: "abc" })).resolves.toBe("cba");
  await expect(tools.call("nothing", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("lists a loaded content without running it again, under any id [S-32]", async () => {
  const { tools, cache, sandbox, skill } = open(mixed);
  await expect(cachedTools(skill, cache)).resolves.toBeUndefined();
  expect(sandbox.started).toHaveLength(0);
  const loaded = await tools.load();
  await tools.close();
  const before = sandbox.started.length;
  await expect(cachedTools(skill, cache)).resolves.toEqual(loaded);
  const renamed = await cachedTools({ ...skill, id: "other" }, cache);
  expect(renamed?.tools[0]?.toolName).toBe("other__count");
  await expect(cachedTools({ ...skill, treeHash: "sha256:2" }, cache)).resolves.toBeUndefined();
  expect(sandbox.started).toHaveLength(before);
});

test("a call starts only the process of its own language [S-32]", async () => {
  const { tools, cache, sandbox } = open(mixed);
  const tool = { name: "count", description: "", file: "tools/count.mjs", inputSchema: { type: "object" } };
  await cache.set("sha256:1", { tools: [tool], problems: [] });
  await expect(tools.call("count", {})).resolves.toBe("script");
  expect(sandbox.started).toHaveLength(1);
});

test("a language that cannot run is a problem of its files, and is tried again [S-32]", async () => {
  const { findRuntime } = directPorts();
  const missing = new SkillError("NOT_READY", "There is no python3.");
  const { tools, cache, skill } = open(mixed, {
    findRuntime: (language) => (language === "python" ? Promise.reject(missing) : findRuntime(language)),
  });
  const catalogue = await tools.load();
  expect(catalogue.tools.map((tool) => tool.name)).toEqual(["count"]);
  expect(catalogue.problems).toEqual([
    { file: "tools/broken.py", message: "There is no python3." },
    { file: "tools/text.py", message: "There is no python3." },
  ]);
  await expect(cachedTools(skill, cache)).resolves.toBeUndefined();
  await expect(tools.call("count", {})).resolves.toBe("script");
});

test("lists no tools without a sandbox [S-32]", async () => {
  const refusal = new SkillError("SANDBOX_UNAVAILABLE", "There is none.");
  const sandbox = { ...directSandbox(), start: () => Promise.reject(refusal) };
  const { tools } = open(mixed, { sandbox });
  await expect(tools.load()).rejects.toBe(refusal);
  await expect(tools.call("count", {})).rejects.toBe(refusal);
});

test("the cache drops the least recently used listing [S-32]", async () => {
  const cache = new MemoryToolCatalogueCache(2);
  const listing = { tools: [], problems: [] };
  await cache.set("a", listing);
  await cache.set("b", listing);
  await cache.get("a");
  await cache.set("c", listing);
  await expect(cache.get("b")).resolves.toBeUndefined();
  await expect(cache.get("a")).resolves.toBe(listing);
});

test("caches a listing with a failed module, but not with a slow one [S-32]", async () => {
  const timers = new ManualTimers();
  const slow = open({ "tools/a.mjs": "for (;;);", "tools/count.mjs": SCRIPT }, { timers });
  const loading = slow.tools.load();
  // The host blames the module that it was told of last.
  await expect.poll(() => slow.sandbox.received()).toContain("tools/a.mjs");
  timers.advance(hostTiming.startMs);
  const catalogue = await loading;
  expect(catalogue.problems.map((problem) => problem.file)).toEqual(["tools/a.mjs"]);
  await expect(slow.tools.call("count", {})).resolves.toBe("script");
  await expect(cachedTools(slow.skill, slow.cache)).resolves.toBeUndefined();
  const failing = open({ "tools/a.mjs": `process.kill(process.pid, "SIGKILL");`, "tools/count.mjs": SCRIPT });
  const loaded = await failing.tools.load();
  expect(loaded.problems).toHaveLength(1);
  await expect(cachedTools(failing.skill, failing.cache)).resolves.toEqual(loaded);
});

test("does not cache a listing with a module that blocks at its top level [S-32]", async () => {
  const waiting = {
    "tools/a.mjs": "await new Promise((done) => setTimeout(done, 1e9));",
    "tools/count.mjs": SCRIPT,
  };
  const { tools, cache, skill } = open(waiting, {}, 10_000);
  const catalogue = await tools.load();
  expect(catalogue.tools.map((tool) => tool.name)).toEqual(["count"]);
  expect(catalogue.problems).toEqual([{ file: "tools/a.mjs", message: "The module did not load in time." }]);
  await expect(cachedTools(skill, cache)).resolves.toBeUndefined();
});

test("omits tools with oversized descriptions in both languages, and keeps the others [S-32]", async () => {
  const { tools } = open({
    "tools/a.mjs": `const properties = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => ["p" + at, {}]));
      const make = (name, count, description = "d") =>
        ({ name, description, inputSchema: { type: "object", properties: properties(count) }, execute: () => name });
      export const all = [make("wide", 1, "x".repeat(400_000)), make("full", 9000), make("first", 1)];`,
    "tools/b.py": `from langchain_core.tools import tool
@tool
def long(text: str) -> str:
    """X."""
    return text
long.description = "x" * 400_000
@tool
def second(text: str) -> str:
    """Is small."""
    return text
`,
  });
  const catalogue = await tools.load();
  expect(catalogue.tools.map((tool) => tool.name)).toEqual(["first", "second"]);
  expect(catalogue.problems).toEqual([
    { file: "tools/a.mjs", message: "wide: the tool descriptions of the skill are too large." },
    { file: "tools/a.mjs", message: "full: the tool descriptions of the skill are too large." },
    { file: "tools/b.py", message: "long: the tool descriptions of the skill are too large." },
  ]);
  await expect(tools.call("first", {})).resolves.toBe("first");
});
