import { describe, expect, test } from "vitest";
import { connectOld, openHttp, openSkills, skill } from "./server.fixture.ts";

const pdf = skill("pdf", {
  yaml: "tags: [documents]\n",
  body: "Fill the form.\n",
  files: { "references/forms.md": "Forms.", "logo.bin": new Uint8Array([0, 255]) },
});

describe("the tools", () => {
  test("are listed with title, annotations, input schema and output schema [S-24] [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
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

  test("return text and data that match their output schema [S-24] [S-57]", async () => {
    const { client } = await connectOld(openSkills([pdf]).skills);
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
    expect(read).toMatchObject({ structuredContent: { id: "pdf" } });
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
    expect(listed.structuredContent).toMatchObject({ skills: [{ id: "mail" }] });
    expect(client.getInstructions()).not.toContain("pdf");
    expect(await client.callTool({ name: "read_skill", arguments: { skill_id: "pdf" } })).toMatchObject({
      isError: true,
    });
  });
});

describe("a skill that was read before", () => {
  test("is a short note in its own session, and the full text on a shared connection [S-25]", async () => {
    const { connect, handler } = openHttp(openSkills([pdf]).skills);
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

test("the instructions are the catalogue, and empty without skills [S-21] [S-57]", async () => {
  const { client } = await connectOld(openSkills([pdf]).skills);
  expect(client.getInstructions()).toMatch(/`pdf` — About pdf\./);
  expect((await connectOld(openSkills([]).skills)).client.getInstructions()).toBeUndefined();
});
