import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { claudeSkills, name } from "@skillhold/adapters/claude-agent";
import { type ToolContext, wrapTools } from "@skillhold/core/session";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { serveModel } from "./model-http.ts";
import { ScriptedModel } from "./scripted-model.ts";

const script = join(import.meta.dirname, "../../scripts/install-frameworks.mjs");
const modules = execFileSync(process.execPath, [script, "--heavy"], { encoding: "utf8" }).trim();
const platform = `claude-agent-sdk-${process.platform}-${process.arch}`;
const program = join(modules, "@anthropic-ai", platform, "claude");
// Claude Code refuses a home in the temporary folder.
const home = mkdtempSync(join(homedir(), ".cache/skillhold-claude-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the Claude Agent SDK adapter", () => {
  describeAdapter({ runtime: name(), make, streamsOutput: false, refreshesInRun: false, savesRuns: false });

  test("the program of its page runs [S-58] [S-72]", async () => {
    const page = readFileSync(
      join(import.meta.dirname, "../../docs/guide/frameworks/claude-agent.md"),
      "utf8",
    );
    const [, code = ""] = /```ts\n(.*?)```/s.exec(page) ?? [];
    const folder = mkdtempSync(join(import.meta.dirname, ".examples-"));
    const run = { skill_id: "pdf", script: "scripts/hello.sh", args: ["you"] };
    const model = new ScriptedModel({
      "Say hello": [
        { calls: [{ name: "run_skill_script", input: run }] },
        { text: "The script said hello." },
      ],
    });
    const server = await serveModel(model);
    try {
      writeFileSync(join(folder, "page.ts"), code);
      mkdirSync(join(folder, "skills/pdf/scripts"), { recursive: true });
      writeFileSync(
        join(folder, "skills/pdf/SKILL.md"),
        "---\nname: pdf\ndescription: Reads PDF files.\n---\nRun hello.sh.\n",
      );
      writeFileSync(join(folder, "skills/pdf/scripts/hello.sh"), 'echo "hello $1"');
      mkdirSync(join(folder, "node_modules/@anthropic-ai"), { recursive: true });
      const sdk = "@anthropic-ai/claude-agent-sdk";
      symlinkSync(join(modules, sdk), join(folder, "node_modules", sdk));
      const args = ["--no-warnings", "--conditions=@skillhold/source", "page.ts"];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: folder,
        env: { ...environment(server.url), XDG_DATA_HOME: join(folder, "data") },
      });
      expect(stdout).toContain("scripts/hello.sh of pdf");
      expect(stdout).toContain("The script said hello.");
      expect(model.calls[1]?.text).toContain("hello you");
    } finally {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function environment(url: string) {
  return {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
}

async function make({ sessionOf, model, instructions, lookup }: AgentSetup): Promise<AgentUnderTest> {
  const server = await serveModel(model);
  const run = async (user: string, prompt: string, signal?: AbortSignal): Promise<Step> => {
    const session = await sessionOf(user);
    const abortController = new AbortController();
    signal?.addEventListener("abort", () => abortController.abort());
    const asked = Promise.withResolvers<{ question: string; reply: (isApproved: boolean) => void }>();
    const skills = await claudeSkills(session, {
      append: instructions,
      abortController,
      canUseTool: async (_tool, input, { decisionReason = "" }) => {
        const answer = Promise.withResolvers<boolean>();
        asked.resolve({ question: decisionReason, reply: answer.resolve });
        if (await answer.promise) return { behavior: "allow", updatedInput: input };
        return { behavior: "deny", message: "The user refused." };
      },
    });
    const hosts = wrapTools(
      [
        tool(
          "lookup",
          "Looks a word up.",
          { word: z.string() },
          async ({ word }, _extra, ...[call]: readonly ToolContext[]) => ({
            content: [{ type: "text", text: lookup(word, call) }],
          }),
          { alwaysLoad: true },
        ),
      ],
      session,
    );
    const host = createSdkMcpServer({ name: "host", tools: [...hosts] });
    const messages = query({
      prompt,
      options: {
        ...skills,
        mcpServers: { ...skills.mcpServers, host },
        allowedTools: [...skills.allowedTools, "mcp__host__*"],
        pathToClaudeCodeExecutable: program,
        tools: [],
        settingSources: [],
        env: environment(server.url),
        maxTurns: 8,
      },
    });
    const ended = (async () => {
      for await (const message of messages)
        if (message.type === "result")
          return message.subtype === "success" ? message.result : message.subtype;
      return "";
    })();
    const first = await Promise.race([asked.promise, ended]);
    if (typeof first === "string")
      return { text: first, question: undefined, answer: () => Promise.reject(new Error("No question.")) };
    return {
      text: "",
      question: first.question,
      answer: async (isApproved) => {
        first.reply(isApproved);
        const text = await ended;
        return { text, question: undefined, answer: () => Promise.reject(new Error("No question.")) };
      },
    };
  };
  return { run, close: () => server.close() };
}
