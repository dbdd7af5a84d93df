import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { claudeSkills, name } from "@skillhold/adapters/claude-agent";
import { type ToolContext, wrapTools } from "@skillhold/core/session";
import { afterAll, describe } from "vitest";
import { z } from "zod";
import { type AgentSetup, type AgentUnderTest, describeAdapter, type Step } from "./adapter.contract.ts";
import { serveModel } from "./model-http.ts";

const script = join(import.meta.dirname, "../../scripts/install-frameworks.mjs");
const modules = execFileSync(process.execPath, [script, "--heavy"], { encoding: "utf8" }).trim();
const platform = `claude-agent-sdk-${process.platform}-${process.arch}`;
const program = join(modules, "@anthropic-ai", platform, "claude");
// Claude Code refuses a home in the temporary folder.
const home = mkdtempSync(join(homedir(), ".cache/skillhold-claude-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the Claude Agent SDK adapter", () => {
  describeAdapter({ runtime: name(), make, refreshesInRun: false, savesRuns: false });
});

async function make({ sessionOf, model, instructions, lookup }: AgentSetup): Promise<AgentUnderTest> {
  const server = await serveModel(model);
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  };
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
        env,
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
