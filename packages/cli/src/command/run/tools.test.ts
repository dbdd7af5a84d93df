import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeHostOptions, runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

const yes = "--yes-for-this-content";
const add = `export default {
  name: "add",
  description: "Adds two numbers",
  schema: {
    type: "object",
    properties: { a: { type: "number", description: "the first" }, b: { enum: [1, 2] } },
    required: ["a"],
  },
  run: ({ a, b = 1 }) => ({ sum: a + b }),
};`;
const more = `export const greet = {
  name: "greet", description: "", schema: { type: "object", properties: {} }, run: () => "hello\\u001b[2J",
};
export const fail = {
  name: "fail", description: "", schema: { type: "object", properties: {} },
  run: () => { throw new Error("no luck"); },
};`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-tools-"));
  writeFile(root, "skills/sums/SKILL.md", skillText("sums", "x"));
  writeFile(root, "skills/sums/tools/add.mjs", add);
  writeFile(root, "skills/plain/SKILL.md", skillText("plain", "x"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.runIf(process.platform === "linux")("tools", () => {
  test("calls a tool of a root that has only tools [S-9] [S-32]", async () => {
    writeFile(root, "adder/tools/add.mjs", add);
    const named = ["--root", "adder"];
    const list = await json(["list", ...named]);
    expect(list.data.skills.map(({ id, type }: { id: string; type: string }) => [id, type])).toEqual([
      ["adder", "tool"],
    ]);
    const explained = await text(["explain", "adder", ...named]);
    expect(explained).toMatchObject({ code: 0, out: expect.stringContaining("In the prompt.") });
    const called = await json(["call", "adder", "add", "--args", '{"a":2}', ...named, yes]);
    expect(called).toMatchObject({ code: 0, ok: true, data: { result: { sum: 3 } } });
  });

  test("lists declared tools with their schemas, and modules that failed to load [S-32] [S-60]", async () => {
    writeFile(root, "skills/sums/tools/broken.mjs", 'throw new Error("boom");\n');
    const { code, data } = await json(["tools", "sums", yes]);
    expect(code).toBe(0);
    expect(data).toMatchObject({
      tools: [
        { name: "add", toolName: "sums__add", file: "tools/add.mjs", inputSchema: { required: ["a"] } },
      ],
      problems: [{ file: "tools/broken.mjs", message: expect.stringContaining("boom") }],
    });
    const { out, err } = await text(["tools", "sums"]);
    expect(out).toBe(
      "add (tools/add.mjs, sums__add)\n  Adds two numbers\n  a: number – the first\n  b?: 1 | 2\n",
    );
    expect(err).toMatch(/^warning: tools\/broken\.mjs: .*boom.*\n1 tool\n$/);
  });

  test("runs no third-party module without approval, and no module for a skill without tools [S-28] [S-32]", async () => {
    expect(await json(["tools", "sums"])).toMatchObject({ code: 4, error: { code: "APPROVAL_REQUIRED" } });
    expect(await json(["tools", "plain"])).toMatchObject({ code: 0, data: { tools: [], problems: [] } });
  });
});

describe.runIf(process.platform === "linux")("call", () => {
  test("prints an object as JSON, and the whole result with --json [S-32] [S-60]", async () => {
    const { code, out } = await text(["call", "sums", "add", "--args", '{"a":2,"b":2}', yes]);
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: { sum: 4 } });
    const file = writeFile(root, "args.json", '{"a":5}');
    const { data } = await json(["call", "sums", "sums__add", "--args", `@${file}`]);
    expect(data).toMatchObject({ skill: "sums", tool: "add", result: { sum: 6 } });
  });

  test("prints text unchanged, except on a terminal [S-32] [S-60]", async () => {
    writeFile(root, "skills/sums/tools/more.mjs", more);
    expect((await text(["call", "sums", "greet", yes])).out).toBe("hello\u001b[2J\n");
    expect((await text(["call", "sums", "greet"], { columns: 80 })).out).toBe("hello\\u001b[2J\n");
  });

  test("asks at the terminal, with the arguments [S-28]", async () => {
    const { code, tty } = await text(["call", "sums", "add", "--args", '{"a":2}'], { typed: "n\n" });
    expect(code).toBe(4);
    expect(tty).toContain("  Act        call add\n");
    expect(tty).toContain('  Arguments  "{\\"a\\":2}"\n');
  });

  test.each([
    [["sums", "nope"], 5, "TOOL_NOT_FOUND"],
    [["plain", "add"], 5, "TOOL_NOT_FOUND"],
    [["nope", "add"], 5, "SKILL_NOT_FOUND"],
    [["sums", "fail"], 8, "TOOL_FAILED"],
    [["sums", "add", "--args", "{"], 2, "USAGE"],
    [["sums", "add", "--args", "[1]"], 2, "USAGE"],
    [["sums", "add", "--args", "@none.json"], 5, "PATH_NOT_FOUND"],
  ])("%j exits %i with %s [S-32] [S-60]", async (args, exit, code) => {
    writeFile(root, "skills/sums/tools/more.mjs", more);
    expect(await json(["call", ...args, yes])).toMatchObject({ code: exit, error: { code } });
  });
});

test.runIf(process.platform === "linux")(
  "the hint of an unknown tool names the tools, or says that there are none [S-32] [S-60]",
  async () => {
    const hintOf = async (skill: string) => (await json(["call", skill, "nope", yes])).error?.hint;
    expect(await hintOf("sums")).toBe("Available tools: add.");
    expect(await hintOf("plain")).toBe("Read the skill and follow its instructions.");
    writeFile(root, "skills/plain/scripts/a.sh", "true\n");
    expect(await hintOf("plain")).toBe("Run one of its scripts instead.");
  },
);

function text(argv: readonly string[], options: FakeHostOptions = {}) {
  return runMain(argv, root, { env: env(), ...options });
}

function json(argv: readonly string[]) {
  return runJson(argv, root, { env: env() });
}

function env() {
  return { XDG_DATA_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache") };
}
