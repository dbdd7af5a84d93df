import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { describe, expect, test, vi } from "vitest";
import { connectOld, openHttp, openSkills, skill, textOf } from "./server.fixture.ts";
import { reportProgress } from "./tool-handler.ts";

const pdf = skill("pdf", {
  yaml: "tags: [documents]\n",
  body: "Fill the form.\n",
  files: { "references/forms.md": "Forms.", "logo.bin": new Uint8Array([0, 255]) },
});

const structured = { settings: { isStructured: true } };

describe("the tools", () => {
  test("are listed with title, annotations, input schema and, on request, output schema [S-24] [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf], structured).skills);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_skills",
      "search_skills",
      "read_skill",
      "read_skill_resource",
      "deactivate_skill",
    ]);
    for (const tool of tools) {
      expect(tool).toMatchObject({ title: expect.any(String), inputSchema: { type: "object" } });
      expect(tool.outputSchema).toMatchObject({ type: "object", required: expect.any(Array) });
      expect(tool.annotations).toMatchObject({ openWorldHint: false });
    }
    expect(tools.find(({ name }) => name === "read_skill")?.annotations).toMatchObject({
      readOnlyHint: true,
    });
  });

  test("return text alone, because clients show a model the data instead of the text [S-24] [S-57] [S-69]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
    for (const tool of (await client.listTools()).tools) expect(tool).not.toHaveProperty("outputSchema");
    for (const [name, input, text] of [
      ["list_skills", {}, "pdf"],
      ["search_skills", { query: "form" }, "pdf"],
      ["read_skill", { skill_id: "pdf" }, "Fill the form."],
      ["read_skill_resource", { skill_id: "pdf", path: "references/forms.md" }, "Forms."],
      ["deactivate_skill", { skill_id: "pdf" }, "no longer active"],
    ] as const) {
      const result = await client.callTool({ name, arguments: input });
      expect(result, name).not.toHaveProperty("structuredContent");
      expect(textOf(result), name).toContain(text);
    }
  });

  test("describe a binary file in one line [S-26] [S-57] [S-69]", async () => {
    const files = { "logo.bin": new Uint8Array(30_000).fill(200) };
    const { client } = await connectOld(openSkills([skill("greet", { files })]).skills);
    const input = { skill_id: "greet", path: "logo.bin" };
    const result = await client.callTool({ name: "read_skill_resource", arguments: input });
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(500);
    expect(textOf(result)).toMatch(/^logo\.bin of greet .*30000 bytes.*$/);
  });

  test("return text and, on request, data that match their output schema [S-24] [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf], structured).skills);
    // A client that has listed the tools checks the data of each answer against the schema.
    await client.listTools();
    const listed = await client.callTool({ name: "list_skills", arguments: { tag: "documents" } });
    expect(listed.structuredContent).toEqual({
      skills: [{ id: "pdf", description: "About pdf.", tags: ["documents"] }],
      more: 0,
    });
    const found = await client.callTool({ name: "search_skills", arguments: { query: "form" } });
    expect(found.structuredContent).toMatchObject({ skills: [{ id: "pdf" }] });
    const read = await client.callTool({ name: "read_skill", arguments: { skill_id: "pdf" } });
    expect(read.content).toEqual([{ type: "text", text: expect.stringContaining("Fill the form.") }]);
    expect(read.structuredContent).toMatchObject({ id: "pdf", isRepeat: false });
    const resource = { skill_id: "pdf", path: "logo.bin" };
    const file = await client.callTool({ name: "read_skill_resource", arguments: resource });
    expect(file.structuredContent).toMatchObject({ encoding: "base64", content: "AP8=", size: 2 });
    const ended = await client.callTool({ name: "deactivate_skill", arguments: { skill_id: "pdf" } });
    expect(ended.structuredContent).toEqual({ id: "pdf", wasActive: true });
  });

  test("can be called by their aliases [S-24]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
    const read = await client.callTool({ name: "skills.read", arguments: { skill_id: "pdf" } });
    expect(textOf(read)).toContain("Fill the form.");
    await expect(client.callTool({ name: "read_skil", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("Did you mean read_skill"),
    });
  });

  test("report a failure as a result with code, message and hint [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
    await client.listTools();
    const missing = await client.callTool({ name: "read_skill", arguments: { skill_id: "pfd" } });
    expect(missing).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/^SKILL_NOT_FOUND: .*\n.*pdf/) }],
      _meta: { "skillhold/error": { code: "SKILL_NOT_FOUND", hint: expect.stringContaining("pdf") } },
    });
    const misused = await client.callTool({ name: "read_skill", arguments: { skill: "pdf" } });
    expect(misused).toMatchObject({ isError: true, _meta: { "skillhold/error": { code: "USAGE" } } });
    const outside = { skill_id: "pdf", path: "../../etc/passwd" };
    expect(await client.callTool({ name: "read_skill_resource", arguments: outside })).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code: "RESOURCE_OUTSIDE_SKILL" } },
    });
  });

  test("that are disabled are neither listed nor callable [S-24]", async () => {
    const { skills } = openSkills([pdf], { settings: { off: ["search_skills"] } });
    const { client } = await connectOld(skills);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("search_skills");
    await expect(client.callTool({ name: "skill_search", arguments: { query: "x" } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("show a viewer only its visible skills [S-43] [S-57]", async () => {
    const { skills } = openSkills([pdf, skill("mail")], { viewer: { allow: ["mail"] } });
    const { client } = await connectOld(skills);
    const listed = await client.callTool({ name: "list_skills", arguments: {} });
    expect(textOf(listed)).toContain("mail");
    expect(textOf(listed)).not.toContain("pdf");
    expect(client.getInstructions()).not.toContain("pdf");
    expect(await client.callTool({ name: "read_skill", arguments: { skill_id: "pdf" } })).toMatchObject({
      isError: true,
    });
  });
});

describe("a skill that was read before", () => {
  test("is a short note in its own session, and the full text on a shared connection [S-25]", async () => {
    const { connect, handler } = openHttp(openSkills([pdf], structured).skills);
    const call = { name: "read_skill", arguments: { skill_id: "pdf" } };
    for (const [revision, isRepeat] of [
      ["2025-11-25", true],
      ["2026-07-28", false],
    ] as const) {
      const client = await connect(revision);
      await client.callTool(call);
      expect((await client.callTool(call)).structuredContent).toMatchObject({ isRepeat });
      await client.close();
    }
    await handler.close();
  });
});

describe("the progress of a call", () => {
  function report(_meta: object) {
    const timers = new ManualTimers();
    const notify = vi.fn(async (_notification: object) => {});
    // Only these fields of the context are read.
    const ctx = { mcpReq: { _meta, notify } } as unknown as Parameters<typeof reportProgress>[0];
    const messages = () => notify.mock.calls.map(([sent]) => sent).map((sent) => JSON.stringify(sent));
    return { timers, messages, progress: reportProgress(ctx, { onError: () => {}, timers }) };
  }

  test("has a heartbeat while the call runs, and ends with it [S-57]", () => {
    const { timers, messages, progress } = report({ progressToken: 7 });
    timers.advance(10_000);
    expect(messages()).toEqual([
      expect.stringContaining('"progress":5000,"message":"Still running."'),
      expect.stringContaining('"progress":10000,"message":"Still running."'),
    ]);
    progress.stop();
    timers.advance(10_000);
    expect(messages()).toHaveLength(2);
    expect(timers.delays).toEqual([]);
  });

  test("shows the last line of the output, at most four times a second [S-57]", () => {
    const { timers, messages, progress } = report({ progressToken: 7 });
    const print = (text: string) => progress.onOutput?.("stdout", new TextEncoder().encode(text));
    timers.advance(250);
    for (const text of ["one\ntwo\n", "three\n"]) print(text);
    timers.advance(250);
    print("four\n");
    expect(messages()).toEqual([expect.stringContaining('"two"'), expect.stringContaining('"four"')]);
    progress.stop();
  });

  test("is not reported to a client that did not ask for it [S-57]", () => {
    const { timers, messages, progress } = report({});
    expect(timers.delays).toEqual([]);
    progress.stop();
    expect(messages()).toEqual([]);
  });
});
