import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import { directSandbox, hostOf } from "./tool-host.fixture.ts";

test("a default export is a tool with the name of its file [S-32]", async () => {
  const host = hostOf({
    "tools/add.mjs": `import { z } from "zod";
      export default {
        description: "Adds two numbers.",
        inputSchema: z.object({ a: z.number().describe("The first."), b: z.number().default(2) }),
        outputSchema: z.object({ sum: z.number() }),
        execute: async ({ a, b }) => ({ sum: a + b }),
      };`,
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools).toEqual([
    {
      name: "add",
      description: "Adds two numbers.",
      file: "tools/add.mjs",
      inputSchema: expect.objectContaining({
        type: "object",
        properties: {
          a: { type: "number", description: "The first." },
          b: { type: "number", default: 2 },
        },
        required: ["a"],
      }),
      outputSchema: expect.objectContaining({ type: "object", required: ["sum"] }),
    },
  ]);
  await expect(host.call("add", { a: 1 })).resolves.toEqual({ sum: 3 });
});

test.each([
  ["inputSchema", "execute"],
  ["schema", "run"],
  ["parameters", "handler"],
  ["input_schema", "func"],
  ["schema", "invoke"],
  ["schema", "call"],
])("a tool may use %s and %s [S-32]", async (schema, run) => {
  const host = hostOf({
    "tools/x.js": `module.exports = { name: "greet", description: "Greets.",
      ${schema}: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
      ${run}({ who }) { return "Hello " + who; } };`,
  });
  expect((await host.tools()).tools.map((tool) => tool.name)).toEqual(["greet"]);
  await expect(host.call("greet", { who: "Ada" })).resolves.toBe("Hello Ada");
});

test("finds tools made with the AI SDK by their exports when it is not installed [S-32]", async () => {
  const host = hostOf({
    "tools/text.ts": `import { jsonSchema, tool } from "ai";
      import { z } from "zod";
      interface Result { readonly text: string }
      export const upper = tool({
        description: "Upper case.",
        inputSchema: z.object({ text: z.string() }),
        execute: async ({ text }: { text: string }): Promise<Result> => ({ text: text.toUpperCase() }),
      });
      export const count = tool({
        description: "Counts.",
        inputSchema: jsonSchema({ type: "object", properties: { text: { type: "string" } } }),
        async *execute({ text }: { text: string }) { yield -1; yield text.length; },
      });
      export const helper = (value: string) => value;`,
  });
  const { tools, problems } = await host.tools();
  expect([tools.map((tool) => tool.name), problems]).toEqual([["count", "upper"], []]);
  await expect(host.call("upper", { text: "abc" })).resolves.toEqual({ text: "ABC" });
  await expect(host.call("count", { text: "abc" })).resolves.toBe(3);
});

test("finds tools made with LangChain by their names when it is not installed [S-32]", async () => {
  const host = hostOf({
    "tools/lang.ts": `import { DynamicStructuredTool, StructuredTool, tool } from "@langchain/core/tools";
      import { z } from "zod";
      export const one = tool(async ({ n }) => n + 1, {
        name: "increase", description: "One more.", schema: z.object({ n: z.number().default(1) }) });
      export const two = tool((text: string) => text.length, {
        name: "measure", description: "Length.", schema: z.string() });
      export const three = new DynamicStructuredTool({ name: "pair", description: "Pair.",
        schema: z.object({}), responseFormat: "content_and_artifact", func: async () => ["content", { big: 1 }] });
      class Own extends StructuredTool {
        name = "own"; description = "Own."; schema = z.object({ a: z.string().transform((a) => a + "!") });
        async _call({ a }: { a: string }) { return a; }
      }
      export default [one, new Own()];`,
    "tools/other.cjs": `const { tool } = require("langchain");
      const { z } = require("zod");
      exports.four = tool(() => 4, { name: "four", description: "Four.", schema: z.object({}) });`,
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools.map((tool) => tool.name)).toEqual(["increase", "own", "pair", "measure", "four"]);
  await expect(host.call("increase", {})).resolves.toBe(2);
  await expect(host.call("measure", { input: "abcd" })).resolves.toBe(4);
  await expect(host.call("pair", {})).resolves.toBe("content");
  await expect(host.call("own", { a: "x" })).resolves.toBe("x!");
  await expect(host.call("four", {})).resolves.toBe(4);
});

test("finds functions, lists, records and whole modules as tools [S-32]", async () => {
  const host = hostOf({
    "tools/function.js": `export default function any({ n }) { return n * 2; }
      any.description = "Doubles."; any.inputSchema = { type: "object", properties: { n: { type: "number" } } };`,
    "tools/list.mjs": `export default [
      { name: "l1", description: "One.", run: () => 1 }, { name: "l2", description: "Two.", run: () => 2 }];`,
    "tools/record.mjs": `export const tools = { r1: { description: "One.", execute: () => "r" } };`,
    "tools/whole.mjs": `import { z } from "zod";
      export const description = "Whole."; export const inputSchema = { n: z.number() };
      export function execute({ n }) { return -n; }`,
  });
  const { tools, problems } = await host.tools();
  expect(problems).toEqual([]);
  expect(tools.map((tool) => tool.name)).toEqual(["function", "l1", "l2", "r1", "whole"]);
  await expect(host.call("function", { n: 4 })).resolves.toBe(8);
  await expect(host.call("whole", { n: 4 })).resolves.toBe(-4);
});

test("prefers a package of the skill over ours [S-32]", async () => {
  const host = hostOf({
    "node_modules/ai/package.json": `{"name":"ai","type":"module","exports":"./index.js"}`,
    "node_modules/ai/index.js": `export const tool = (t) => ({ ...t, description: "Brought along." });`,
    "tools/x.mjs": `import { tool } from "ai"; export default tool({ description: "?", execute: () => 1 });`,
  });
  expect((await host.tools()).tools[0]?.description).toBe("Brought along.");
});

test("resolves TypeScript-style imports [S-32]", async () => {
  const host = hostOf({
    "tools/x.ts": `import { a } from "../lib/a.js"; import { b } from "../lib/b";
      export default { description: "x", execute: () => a + b };`,
    "lib/a.ts": "export const a: number = 1;",
    "lib/b.ts": "export const b: number = 2;",
  });
  await expect(host.call("x", {})).resolves.toBe(3);
});

test("a broken module does not hide the others [S-32]", async () => {
  const host = hostOf({
    "tools/a-throws.mjs": `throw new Error("not today");`,
    "tools/b-syntax.ts": "export const = 1;",
    "tools/c-missing.js": `import "left-pad"; export default {};`,
    "tools/d-exits.mjs": "process.exit(3);",
    "tools/e-none.mjs": "export const helper = 1;",
    "tools/f-schema.mjs": `import { z } from "zod";
      export const bad = { description: "b", inputSchema: z.string(), execute: () => 1 };
      export const fine = { description: "f", execute: () => 1 };`,
    "tools/g-again.mjs": `export default { name: "fine", description: "g", execute: () => 2 };`,
    "tools/h-good.mjs": `export default { description: "h", execute: () => "good" };`,
  });
  const { tools, problems } = await host.tools();
  expect(tools.map((tool) => tool.name)).toEqual(["fine", "h-good"]);
  expect(problems.map((problem) => problem.file.slice(6, 7)).join("")).toBe("abcdefg");
  expect(problems[0]?.message).toBe("not today");
  await expect(host.call("h-good", {})).resolves.toBe("good");
  await expect(host.call("fine", {})).resolves.toBe(1);
});

test("omits a module that ends its process or never finishes [S-32]", async () => {
  const timers = new ManualTimers();
  const sandbox = directSandbox();
  const host = hostOf(
    {
      "tools/a-kills.mjs": `process.kill(process.pid, "SIGKILL"); await new Promise(() => {});`,
      "tools/b-waits.mjs": "await new Promise(() => {});",
      "tools/c-loops.mjs": "for (;;);",
      "tools/d-good.mjs": `export default { description: "d", execute: () => "good" };`,
    },
    // The process itself skips the second module after half of this time.
    { timing: { startMs: 10_000 }, ports: { timers, sandbox } },
  );
  const listing = host.tools();
  // The host blames the module that it was told of last.
  await expect.poll(() => sandbox.received()).toContain("c-loops");
  timers.advance(10_000);
  const { tools, problems } = await listing;
  expect(tools.map((tool) => tool.name)).toEqual(["d-good"]);
  expect(problems.map((problem) => problem.file)).toEqual([
    "tools/a-kills.mjs",
    "tools/c-loops.mjs",
    "tools/b-waits.mjs",
  ]);
  await expect(host.call("d-good", {})).resolves.toBe("good");
});

test("checks arguments with the tool's own schema before it runs [S-32]", async () => {
  const host = hostOf({
    "tools/zod.mjs": `import { z } from "zod"; export default { description: "z",
      inputSchema: z.object({ n: z.number() }), execute: () => "ran" };`,
    "tools/json.mjs": `export default { description: "j", execute: () => "ran", inputSchema: { type: "object",
      properties: { n: { type: "number" } }, required: ["n"] } };`,
  });
  for (const tool of ["zod", "json"]) {
    await expect(host.call(tool, { n: "1" })).rejects.toMatchObject({
      code: "TOOL_FAILED",
      message: expect.stringMatching(/arguments are not valid: n: /),
      details: expect.objectContaining({ code: "InvalidArguments" }),
    });
    await expect(host.call(tool, { n: 1 })).resolves.toBe("ran");
  }
});
