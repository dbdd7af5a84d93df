import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Agent, Runner } from "@openai/agents";
import { aiSkills } from "@skillhold/adapters/ai";
import { openAiSkills } from "@skillhold/adapters/openai-agents";
import { openSkillhold } from "@skillhold/host";
import { ToolLoopAgent } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { mockModel } from "./ai-model.ts";
import { openAiModel } from "./openai-model.ts";
import { ScriptedModel } from "./scripted-model.ts";

type RunAgent = (prompt: string) => Promise<unknown>;

/** A workspace with a session, and a function that writes its files. */
async function openWorkspace() {
  const base = mkdtempSync(join(tmpdir(), "skillhold-workspace-"));
  const folder = join(base, "seo");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const skill = (name: string) =>
    write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\n---\nDo ${name}.\n`);
  write("config.yaml", "name: seo\nskills: [audit]\n");
  write("system-prompt.md", "You are SEO.\n");
  skill("audit");
  const workspace = { folder, watch: false };
  const skillhold = await openSkillhold({ runtime: "test", data: join(base, "data"), env: {}, workspace });
  onTestFinished(async () => {
    await skillhold.close();
    rmSync(base, { recursive: true, force: true });
  });
  return { skillhold, session: await skillhold.session().open(), write, skill };
}

const frameworks: readonly (readonly [
  string,
  (model: ScriptedModel, session: Awaited<ReturnType<typeof openWorkspace>>["session"]) => RunAgent,
])[] = [
  [
    "the AI SDK",
    (model, session) => {
      const agent = new ToolLoopAgent({
        model: mockModel(model),
        ...aiSkills(session, { instructions: "You are the host's agent.", tools: {} }),
      });
      return async (prompt) => await (await agent.stream({ prompt })).text;
    },
  ],
  [
    "the OpenAI Agents SDK",
    (model, session) => {
      const skills = openAiSkills(session, { instructions: "You are the host's agent." });
      const agent = new Agent({ name: "host", model: openAiModel(model), ...skills });
      const runner = new Runner({ tracingDisabled: true });
      return async (prompt) => (await runner.run(agent, prompt)).finalOutput;
    },
  ],
];

test.each(frameworks)(
  "%s gets the composed prompt of a workspace, and its changes [S-56] [S-58]",
  async (_, make) => {
    const { skillhold, session, write, skill } = await openWorkspace();
    const model = new ScriptedModel({
      first: [{ calls: [{ name: "read_skill", input: { skill_id: "audit" } }] }, { text: "Done." }],
      second: [{ text: "Done again." }],
    });
    const run = make(model, session);
    expect(await run("first")).toBe("Done.");
    const systems = () => model.calls.map(({ system }) => system);
    expect(systems()).toHaveLength(2);
    expect(new Set(systems()).size).toBe(1);
    expect(systems()[0]).toMatch(
      /^You are the host's agent\.\n\nYou are SEO\.\n\n## Your Skills\n\n### audit/,
    );
    expect(systems()[0]).not.toContain("### write");
    skill("write");
    write("config.yaml", "name: seo\nskills: [audit, write]\n");
    await skillhold.workspace?.reload();
    expect(await run("second")).toBe("Done again.");
    expect(systems().at(-1)).toContain("### write\n\nAbout write.");
    expect(session.active().map(({ skill: id }) => id)).toEqual(["audit", "write"]);
  },
);
