import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { directSandbox, hostOf, hostTiming } from "./tool-host.fixture.ts";
import type { ToolHostPorts } from "./tool-host-spec.ts";

const files = { "tools/a.mjs": "", "tools/b.mjs": "" };

/** A host with this code as its bridge: `say` writes a line, and `line` is each request. */
function hostWith(onRequest: string, ports: Partial<ToolHostPorts> = {}) {
  const sandbox = directSandbox(`const fs = require("node:fs");
    const say = (text) => fs.writeSync(4, (typeof text === "string" ? text : JSON.stringify(text)) + "\\n");
    const tool = (more) => ({ name: "t", description: "d", file: "tools/a.mjs", inputSchema: { type: "object" }, ...more });
    const ready = (tools, problems = []) => say({ type: "ready", tools, problems });
    require("node:readline").createInterface({ input: new (require("node:net").Socket)({ fd: 3 }) })
      .on("line", (line) => { const request = JSON.parse(line); ${onRequest} });`);
  return { sandbox, host: hostOf(files, { ports: { sandbox, ...ports } }) };
}

test("ignores unknown lines and unknown ids [S-32]", async () => {
  const { host } = hostWith(`if (request.method === "load") {
      say("no json"); say("[".repeat(100000)); say("null"); say('{"type":"ready"}'); say('{"type":"loading","file":7}');
      ready([tool()]);
    } else {
      say({ id: 999, ok: true, result: "forged" }); say({ id: "__proto__", ok: true, result: "forged" });
      say({ id: request.id, ok: "yes" }); say({ id: request.id, ok: false });
      say({ id: request.id, ok: true, result: "real" }); say({ id: request.id, ok: true, result: "again" });
    }`);
  await expect(host.call("t", {})).resolves.toBe("real");
  await expect(host.call("t", {})).resolves.toBe("real");
});

test("an endless line and a flood of lines end the process [S-32]", async () => {
  const { host } = hostWith(`if (request.method === "load") return ready([tool(), tool({ name: "flood" })]);
    if (request.name === "flood") { for (;;) say("x"); }
    for (;;) fs.writeSync(4, "x".repeat(65536));`);
  await expect(host.call("t", {})).rejects.toThrow(/sent a line of more than 1048576 bytes/);
  await expect(host.call("flood", {})).rejects.toThrow(/too many unknown lines/);
});

test.each([
  ["ready", "ready([tool()])"],
  ["loading", 'say({ type: "loading", file: "tools/a.mjs" })'],
  ["answers", "say({ id: 7, ok: true })"],
])("a flood of %s lines after the listing ends the process [S-32]", async (_title, flood) => {
  const { sandbox, host } = hostWith(
    `if (request.method === "load") { ready([tool()]); for (;;) ${flood}; }`,
  );
  await host.tools();
  await expect(sandbox.started[0]?.exited).resolves.toMatchObject({ signal: "SIGKILL" });
});

test("a flood during loading or during a call ends the process [S-32]", async () => {
  const early = hostWith(`for (;;) say({ type: "loading", file: "tools/a.mjs" });`);
  await expect(early.host.tools()).rejects.toThrow(/too many unknown lines/);
  const late = hostWith(`if (request.method === "load") ready([tool()]); else for (;;) ready([tool()]);`);
  await expect(late.host.call("t", {})).rejects.toThrow(/too many unknown lines/);
});

test("accepts one listing only [S-32]", async () => {
  const { host } = hostWith(`if (request.method === "load") { ready([tool()]); ready([tool({ name: "u" })]); }
    else { ready([tool({ name: "u" })]); say({ id: request.id, ok: true, result: 1 }); }`);
  await expect(host.call("t", {})).resolves.toBe(1);
  await expect(host.call("u", {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("rejects an oversized listing without blaming a module [S-32]", async () => {
  const wide = hostWith(`ready([tool({ description: "x".repeat(600000) })]);`);
  await expect(wide.host.tools()).rejects.toThrow(/more than 524288 bytes/);
  const full = hostWith(`ready([tool({ inputSchema: { enum: Array(30000).fill(0) } })]);`);
  await expect(full.host.tools()).rejects.toThrow(/more than 20000 values/);
  expect([...wide.sandbox.started, ...full.sandbox.started]).toHaveLength(2);
});

test("removes keys that a merge would follow from results and schemas [S-32]", async () => {
  const { host } =
    hostWith(`const evil = '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":2}}';
    if (request.method === "load") say('{"type":"ready","problems":[],"tools":[{"name":"t","description":"d",' +
      '"file":"tools/a.mjs","inputSchema":{"type":"object","__proto__":{"polluted":1}}}],"__proto__":{"x":1}}');
    else say('{"id":' + request.id + ',"ok":true,"result":' + evil + "}");`);
  const { tools } = await host.tools();
  expect(Object.getOwnPropertyNames(tools[0]?.inputSchema)).toEqual(["type"]);
  const result = await host.call("t", {});
  expect(JSON.stringify(result)).toBe('{"a":{"b":2}}');
  expect(Object.assign({}, result)).not.toHaveProperty("polluted");
});

test("omits tools with invalid names, files or schemas, and neutralizes texts [S-32]", async () => {
  const { host } = hostWith(`let deep = {}; for (let at = 0; at < 40; at += 1) deep = { properties: deep };
    ready([
      tool({ name: "" }), tool({ name: "a\\nb" }), tool({ name: "x".repeat(200) }), tool({ name: "\\u202eevil" }),
      tool({ name: "elsewhere", file: "../../etc/passwd" }),
      tool({ name: "s1", inputSchema: undefined }), tool({ name: "s2", inputSchema: [] }),
      tool({ name: "s3", inputSchema: { type: "string" } }), tool({ name: "s4", inputSchema: { type: "object", deep } }),
      tool({ name: "s5", inputSchema: { type: "object", title: "x".repeat(70000) } }),
      tool({ name: "good", description: "One\\n\\u001b[31mtwo\\u200b", outputSchema: 7, inputSchema: { type: "object",
        properties: { description: { type: "string", description: "a\\n\\u202eb", const: "a\\n\\u202eb" } } } }),
      tool({ name: "good", description: "again" }),
    ], [{ file: "tools/b.mjs", error: "line\\nline" }, { file: "other", error: "?" }]);`);
  const { tools, problems } = await host.tools();
  expect(tools).toEqual([
    {
      name: "good",
      description: "One two",
      file: "tools/a.mjs",
      inputSchema: {
        type: "object",
        properties: { description: { type: "string", description: "a b", const: "a\n\u202eb" } },
      },
    },
  ]);
  expect(problems).toHaveLength(11);
  expect(problems[0]).toEqual({ file: "tools/b.mjs", message: "line line" });
  expect(problems.map((problem) => problem.message).join("")).not.toMatch(/[\n\u202e]/);
});

test("stops loading when a bridge never answers or blames modules at will [S-32]", async () => {
  const timers = new ManualTimers();
  const silent = hostWith("", { timers });
  const failed = expect(silent.host.tools()).rejects.toMatchObject({ code: "TOOL_FAILED" });
  await timers.set(hostTiming.startMs);
  timers.advance(hostTiming.startMs);
  await failed;
  const blaming = hostWith(`say({ type: "loading", file: "tools/" + "ab"[Math.random() * 2 | 0] + ".mjs" });
    say({ type: "loading", file: "elsewhere" }); process.exit(1);`);
  await expect(blaming.host.tools()).rejects.toMatchObject({ code: "TOOL_FAILED" });
  expect(blaming.sandbox.started.length).toBeLessThanOrEqual(5);
});
