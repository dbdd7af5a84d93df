import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { connectOld, openHttp, openSkills, skill, textOf } from "./server.fixture.ts";

const org = (files: Record<string, string>, yaml = "") => skill("demo", { files, yaml, trust: "org" });
const revisions = ["2025-11-25", "2026-07-28"] as const;

describe.each(revisions)("a run for a client of %s", (revision) => {
  test("reports progress when the client asks for it [S-57]", async () => {
    const script = "echo one; sleep 0.6; echo two; sleep 0.6; echo three";
    const { connect, handler } = openHttp(openSkills([org({ "scripts/a.sh": script })], { runs: {} }).skills);
    const client = await connect(revision);
    const notes: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const call = { name: "run_skill_script", arguments: { skill_id: "demo", script: "a.sh" } };
    const result = await client.callTool(call, { onprogress: (note) => notes.push(note) });
    expect(textOf(result)).toContain("one\ntwo\nthree\n");
    expect(notes.map(({ message }) => message)).toEqual(expect.arrayContaining(["two", "three"]));
    const values = notes.map(({ progress }) => progress);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    await client.close();
    await handler.close();
  });

  test("is canceled and recorded when the client cancels it [S-57] [S-62]", async () => {
    const { skills, events } = openSkills([org({ "scripts/a.sh": "sleep 1; echo on; sleep 60" })], {
      runs: {},
    });
    const { connect, handler } = openHttp(skills);
    const client = await connect(revision);
    const call = { name: "run_skill_script", arguments: { skill_id: "demo", script: "a.sh" } };
    const off = new AbortController();
    // It prints, and so it has begun.
    const onprogress = () => off.abort();
    await expect(client.callTool(call, { signal: off.signal, onprogress })).rejects.toThrow();
    await vi.waitFor(
      () =>
        expect(events).toContainEqual(
          expect.objectContaining({ type: "skill.script_executed", outcome: "aborted" }),
        ),
      120_000,
    );
    await client.close();
    await handler.close();
  });
});

test("names the output folder of a run without its path [S-57]", async () => {
  const outputs = mkdtempSync(join(tmpdir(), "skillhold-mcp-"));
  try {
    const { skills } = openSkills([org({ "scripts/a.sh": "echo x > made.txt" })], {
      runs: { outputs },
      settings: { isStructured: true },
    });
    const { client } = await connectOld(skills);
    await client.listTools();
    const call = { name: "run_skill_script", arguments: { skill_id: "demo", script: "a.sh" } };
    const result = await client.callTool(call);
    expect(result).toMatchObject({ structuredContent: { outputs: expect.stringMatching(/^[^/]+$/) } });
    expect(JSON.stringify(result)).not.toContain(outputs);
  } finally {
    rmSync(outputs, { recursive: true, force: true });
  }
});

describe("the tools that skills declare", () => {
  const tools = {
    "tools/add.mjs":
      'export const add = { description: "Adds.", inputSchema: { type: "object", properties: { a: { type: "number" } } }, run: ({ a }) => ({ sum: a + 1 }) };',
  };

  test.each(revisions)(
    "are listed and callable after they are loaded, and a client of %s is notified [S-32] [S-57]",
    async (revision) => {
      const changed = vi.fn();
      const { connect, handler } = openHttp(openSkills([org(tools)], { runs: {} }).skills);
      const client = await connect(revision, {
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
      });
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names()).toContain("load_skill_tools");
      const load = () => client.callTool({ name: "load_skill_tools", arguments: { skill_id: "demo" } });
      expect(textOf(await load())).toMatch(/call_skill_tool\("demo".*\n- demo__add: Adds\. Input: \{.*"a":/s);
      expect(await names()).toContain("demo__add");
      const answer = await client.callTool({ name: "demo__add", arguments: { a: 1 } });
      expect(textOf(answer)).toContain('"sum": 2');
      // The stream on which it hears of changes may have been on its way.
      await vi.waitFor(async () => {
        await load();
        expect(changed).toHaveBeenCalled();
      }, 120_000);
      await client.close();
      await handler.close();
    },
  );

  test("are loaded by a call of a tool that was listed before [S-32]", async () => {
    const { client } = await connectOld(openSkills([org(tools)], { runs: {} }).skills);
    const answer = await client.callTool({ name: "demo__add", arguments: { a: 4 } });
    expect(textOf(answer)).toContain('"sum": 5');
    await expect(client.callTool({ name: "demo__sub", arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(client.callTool({ name: "other__add", arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("are called by call_skill_tool, without being listed, and are recorded [S-24] [S-32] [S-69]", async () => {
    const { skills, events } = openSkills([org(tools)], { runs: {} });
    const { client } = await connectOld(skills);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("call_skill_tool");
    for (const tool of ["add", "demo__add"]) {
      const input = { skill_id: "demo", tool, args: { a: 4 } };
      const answer = await client.callTool({ name: "call_skill_tool", arguments: input });
      expect(textOf(answer)).toContain('"sum": 5');
      expect(events.at(-1)).toMatchObject({ type: "skill.tool_called", skill: "demo" });
    }
    for (const [input, code] of [
      [{ skill_id: "demo", tool: "sub" }, "TOOL_NOT_FOUND"],
      [{ skill_id: "nothing", tool: "add" }, "SKILL_NOT_FOUND"],
      [{ skill_id: "demo" }, "USAGE"],
      [{ skill_id: "demo", tool: "add", args: [] }, "USAGE"],
    ] as const)
      expect(await client.callTool({ name: "call_skill_tool", arguments: input })).toMatchObject({
        isError: true,
        _meta: { "skillhold/error": { code } },
      });
  });

  test("are blocked by the allowed tools of another active skill, also by call_skill_tool [S-24] [S-30]", async () => {
    const call = { name: "call_skill_tool", arguments: { skill_id: "demo", tool: "add", args: { a: 1 } } };
    for (const [allowed, isBlocked] of [
      ["Read", true],
      ["call_skill_tool", false],
      ["demo__add", false],
    ] as const) {
      const strict = skill("strict", { yaml: `allowed-tools: ${allowed}\n` });
      const { client } = await connectOld(openSkills([org(tools), strict], { runs: {} }).skills);
      await client.callTool({ name: "read_skill", arguments: { skill_id: "strict" } });
      const answer = await client.callTool(call);
      expect(answer.isError === true, allowed).toBe(isBlocked);
      if (isBlocked) expect(answer._meta).toMatchObject({ "skillhold/error": { code: "TOOL_BLOCKED" } });
    }
  });

  test("need an approval by call_skill_tool as well [S-28] [S-32]", async () => {
    const { client } = await connectOld(openSkills([skill("demo", { files: tools })], { runs: {} }).skills);
    const input = { skill_id: "demo", tool: "add", args: { a: 1 } };
    expect(await client.callTool({ name: "call_skill_tool", arguments: input })).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code: "APPROVAL_REQUIRED" } },
    });
  });

  test("cannot be loaded or called when both tools are off [S-24]", async () => {
    const off = ["load_skill_tools", "call_skill_tool"] as const;
    const { client } = await connectOld(openSkills([org(tools)], { runs: {}, settings: { off } }).skills);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    for (const name of off) {
      expect(names).not.toContain(name);
      await expect(client.callTool({ name, arguments: { skill_id: "demo" } })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  test("are not loaded without approval, and the result has the reason [S-28] [S-32]", async () => {
    const { client } = await connectOld(openSkills([skill("demo", { files: tools })], { runs: {} }).skills);
    expect(
      await client.callTool({ name: "load_skill_tools", arguments: { skill_id: "demo" } }),
    ).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code: "APPROVAL_REQUIRED" } },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("demo__add");
  });

  test("are not marked read-only, because loading them runs the skill [S-24] [S-32]", async () => {
    const { client } = await connectOld(openSkills([org(tools)], { runs: {} }).skills);
    const { tools: listed } = await client.listTools();
    expect(listed.find(({ name }) => name === "load_skill_tools")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
  });

  test("are removed from the list when the skill is hidden from the viewer [S-32] [S-43]", async () => {
    const { skills, library } = openSkills([org(tools)], { runs: {} });
    const { client, connection } = await connectOld(skills);
    await client.callTool({ name: "load_skill_tools", arguments: { skill_id: "demo" } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("demo__add");
    library.replace([org(tools, "disable-model-invocation: true\n")]);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("demo__add");
    await connection.session.activate("demo", { invoker: "user" });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("demo__add");
  });

  test("are dropped when the skill changes [S-32]", async () => {
    const { skills, library } = openSkills([org(tools)], { runs: {} });
    const { connect, handler } = openHttp(skills);
    const client = await connect("2025-11-25");
    await client.callTool({ name: "load_skill_tools", arguments: { skill_id: "demo" } });
    library.replace([org({ "tools/other.mjs": tools["tools/add.mjs"].replaceAll("add", "inc") })]);
    await vi.waitFor(
      async () => expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("demo__add"),
      120_000,
    );
    await client.close();
    await handler.close();
  });
});
