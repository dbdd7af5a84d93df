import { Command, MemorySaver } from "@langchain/langgraph";
import { approve, refuse, type SkillQuestion } from "@skillhold/adapters";
import { deepSkills, name, names, SkillBackend } from "@skillhold/adapters/deepagents";
import { type LangChainCaller, skillCall } from "@skillhold/adapters/langchain";
import { openTestSession } from "@skillhold/testing";
import { createDeepAgent } from "deepagents";
import { tool } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { LangChainModel } from "./langchain-model.ts";
import { ScriptedModel } from "./scripted-model.ts";

describe("the deepagents adapter", () => {
  describeAdapter({ runtime: name(), make, streamsOutput: true });

  const skills = [
    {
      folder: "pdf",
      files: {
        "SKILL.md":
          "---\nname: pdf\ndescription: Reads PDF files.\nallowed-tools: Read\n---\nOpen the file.\n",
        "references/forms.md": "Forms have fields.",
      },
    },
  ];

  test("serves skills as read-only files, and reading a SKILL.md activates the skill [S-58]", async () => {
    await using testing = await openTestSession(skills, { runtime: names() });
    const backend = new SkillBackend(testing.session);
    expect(await backend.ls("/")).toEqual({ files: [{ path: "/pdf/", is_dir: true }] });
    const [metadata] = await backend.downloadFiles(["/pdf/SKILL.md"]);
    expect(String(metadata?.content)).toContain("Reads PDF files.");
    expect(testing.events.map(({ type }) => type)).toEqual(["session.opened"]);
    expect(await backend.read("/pdf/SKILL.md")).toMatchObject({
      content: expect.stringContaining("Open the file."),
    });
    expect(testing.session.active().map(({ skill }) => skill)).toEqual(["pdf"]);
    expect(await backend.ls("/pdf")).toEqual({
      files: expect.arrayContaining([{ path: "/pdf/references/forms.md" }]),
    });
    expect(await backend.read("/pdf/references/forms.md")).toMatchObject({ content: "Forms have fields." });
    expect(await backend.read("/pdf/../../etc/passwd")).toEqual({ error: expect.any(String) });
    expect(await backend.write("/pdf/SKILL.md")).toEqual({ error: expect.stringContaining("read-only") });
  });

  test("gives a subagent the skills of its own session [S-58]", async () => {
    await using testing = await openTestSession(skills, { runtime: name() });
    const helper = await testing.open({ agent: "helper" });
    const model = new ScriptedModel({
      "go on": [
        { calls: [{ name: "task", input: { description: "help out", subagent_type: "helper" } }] },
        { text: "Done." },
      ],
      "help out": [{ calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] }, { text: "Helped." }],
    });
    const agent = createDeepAgent({
      model: new LangChainModel(model),
      ...deepSkills(await testing.open({ allow: [] })),
      subagents: [
        {
          name: "helper",
          description: "Helps.",
          systemPrompt: "Help.",
          middleware: deepSkills(helper).middleware,
        },
      ],
    });
    await agent.invoke({ messages: [{ role: "user", content: "go on" }] });
    expect(model.calls.map(({ system }) => system.includes("Reads PDF files."))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(helper.active().map(({ skill }) => skill)).toEqual(["pdf"]);
    expect(testing.session.active()).toEqual([]);
  });
});

async function make({
  sessionOf,
  model,
  instructions,
  lookup,
  onOutput,
}: AgentSetup): Promise<AgentUnderTest> {
  const lookupTool = tool(({ word }, runtime: LangChainCaller) => lookup(word, skillCall(runtime)), {
    name: "lookup",
    description: "Looks a word up.",
    schema: z.object({ word: z.string() }),
  });
  const checkpointer = new MemorySaver();
  const agentFor = async (user: string) =>
    createDeepAgent({
      model: new LangChainModel(model),
      tools: [lookupTool],
      systemPrompt: instructions,
      ...deepSkills(await sessionOf(user)),
      checkpointer,
    });
  const go = async (
    user: string,
    input: { messages: { role: string; content: string }[] } | Command,
    signal?: AbortSignal,
  ): Promise<Step> => {
    const agent = await agentFor(user);
    const config = { configurable: { thread_id: user }, ...(signal === undefined ? {} : { signal }) };
    for await (const part of await agent.stream(input, { ...config, streamMode: "custom" }))
      onOutput?.(JSON.stringify(part));
    const state = await agent.graph.getState(config);
    const question: SkillQuestion | undefined = state.tasks[0]?.interrupts[0]?.value;
    return {
      text: state.values.messages.at(-1)?.text ?? "",
      question: question?.reason,
      answer: async (isApproved) => {
        if (question === undefined) throw new Error("There is no question.");
        const seen = JSON.parse(JSON.stringify(question));
        return await go(user, new Command({ resume: isApproved ? approve(seen, user) : refuse(seen, user) }));
      },
    };
  };
  return {
    run: (user, prompt, signal) => go(user, { messages: [{ role: "user", content: prompt }] }, signal),
  };
}
