import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Library, openLibrary } from "@skillhold/core/library";
import { systemTimers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import {
  type AiSdkLanguageModel,
  aiSdkModel,
  claudeRunner,
  codexRunner,
  layOut,
  loopRunner,
  type Runner,
  runTriggers,
  type SkillFolder,
} from "@skillhold/eval";
import type { ModelReply, ModelRequest } from "@skillhold/testing";
import { type ModelServer, startModelServer } from "@skillhold/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installOnce } from "./install.ts";

const versions = {
  "@ai-sdk/anthropic": "4.0.102",
  "@ai-sdk/openai-compatible": "3.0.90",
  "@anthropic-ai/claude-code": "2.1.326",
  "@openai/codex": "0.169.0",
};

let modules: string;
let root: string;
let library: Library;
let skills: SkillFolder;
let server: ModelServer;

/** The behavior that a query asks the fake model for. */
function answer(request: ModelRequest): ModelReply {
  const texts = request.messages.filter(({ role }) => role === "user").map(({ text }) => text);
  const asks = (words: string) => texts.some((text) => text.includes(words));
  const turn = request.messages.filter(({ role }) => role === "tool").length;
  if (asks("crash please")) return { status: 400, message: "broken on purpose" };
  if (asks("hang please")) return { hang: true };
  if (asks("no skill please") || turn >= 2) return { text: "Done." };
  if (asks("other tool first") && turn === 0) return useShell(request, "ls");
  if (turn >= 1 && !asks("other tool first")) return { text: "Done." };
  return readSkill(request);
}

function readSkill(request: ModelRequest): ModelReply {
  const names = request.tools.map(({ name }) => name);
  if (names.includes("read_skill")) return { calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] };
  if (names.includes("Skill")) return { calls: [{ name: "Skill", input: { skill: "pdf" } }] };
  return useShell(request, 'cat "$HOME/.agents/skills/pdf/SKILL.md"');
}

function useShell({ tools }: ModelRequest, command: string): ModelReply {
  const names = tools.map(({ name }) => name);
  if (names.includes("exec_command")) return { calls: [{ name: "exec_command", input: { cmd: command } }] };
  if (names.includes("list_files")) return { calls: [{ name: "list_files", input: {} }] };
  return { calls: [{ name: "Glob", input: { pattern: "*" } }] };
}

beforeAll(async () => {
  modules = installOnce(versions);
  // Codex refuses a HOME in the temporary folder.
  root = mkdtempSync(join(modules, "../trial-"));
  for (const [id, description] of [
    ["pdf", "Merges and splits PDF files."],
    ["mail", "Sends letters."],
  ]) {
    mkdirSync(join(root, "skills", `${id}`), { recursive: true });
    writeFileSync(
      join(root, "skills", `${id}`, "SKILL.md"),
      `---\nname: ${id}\ndescription: ${description}\n---\n# Steps\n`,
    );
  }
  const source = { label: "t", kind: "workspace", trust: "user", root: join(root, "skills") } as const;
  library = await openLibrary({
    sources: [source],
    host: nodeHost({ env: {}, platform: process.platform, cwd: root }),
  });
  skills = await layOut(["pdf", "mail"], join(root, "laid-out"), { library, viewer: { runtime: "test" } });
  server = await startModelServer(answer);
});

afterAll(async () => {
  await server?.close();
  await library?.close();
  rmSync(root, { recursive: true, force: true });
});

/** The program of the package for this platform, which its install script would copy. */
function claudeProgram(): string {
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  const file = join(modules, name, "claude");
  if (!existsSync(file)) throw new Error(`${name} has no program for this platform.`);
  return file;
}

async function importModel(
  name: string,
  make: (module: Record<string, unknown>) => unknown,
): Promise<AiSdkLanguageModel> {
  const path = createRequire(join(modules, "x.js")).resolve(name);
  // The module is a foreign one; the test fails where its model does not fit.
  return make(await import(pathToFileURL(path).href)) as AiSdkLanguageModel;
}

type Make = (options: Record<string, unknown>) => (model: string) => unknown;

const runners: Readonly<Record<string, () => Runner | Promise<Runner>>> = {
  claude: () =>
    claudeRunner({
      program: claudeProgram(),
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "x" },
    }),
  codex: () => {
    const provider = `{name="fake",base_url="${server.url}/v1",env_key="K",wire_api="responses",requires_openai_auth=false}`;
    const config = ["model_provider=fake", `model_providers.fake=${provider}`];
    return codexRunner({ program: join(modules, ".bin/codex"), model: "fake", env: { K: "x" }, config });
  },
  "ai-sdk over OpenAI": async () =>
    loopRunner(
      aiSdkModel(
        await importModel("@ai-sdk/openai-compatible", (module) =>
          (module["createOpenAICompatible"] as Make)({ name: "fake", baseURL: `${server.url}/v1` })("fake"),
        ),
      ),
      { id: "ai-sdk" },
    ),
  "ai-sdk over Anthropic": async () =>
    loopRunner(
      aiSdkModel(
        await importModel("@ai-sdk/anthropic", (module) =>
          (module["createAnthropic"] as Make)({ baseURL: `${server.url}/v1`, apiKey: "x" })("fake"),
        ),
      ),
      { id: "ai-sdk" },
    ),
};

describe.each(Object.entries(runners))("the real client: %s", (_, makeRunner) => {
  test("gives the verdicts yes, yes, no and error, and timeout for one that hangs [S-51]", async () => {
    const request = {
      skill: "pdf",
      skills,
      runs: 1,
      limits: { maxTurns: 6, maxTokens: 1_000_000, timeoutMs: 60_000 },
      budget: {},
      parallel: 2,
      place: join(root, "trials"),
      signal: new AbortController().signal,
    };
    const runner = await makeRunner();
    const ask = async (queries: readonly string[], timeoutMs: number) => {
      const asked = queries.map((query) => ({ query, shouldTrigger: true }));
      const limits = { ...request.limits, timeoutMs };
      const { trials } = await runTriggers(
        { ...request, limits, queries: asked },
        { runner, timers: systemTimers },
      );
      return trials.map(({ query, verdict, message }) => ({
        query,
        verdict,
        ...(verdict === "error" ? { message } : {}),
      }));
    };
    expect(
      await ask(["merge the PDFs", "other tool first", "no skill please", "crash please"], 120_000),
    ).toEqual([
      { query: "merge the PDFs", verdict: "yes" },
      { query: "other tool first", verdict: "yes" },
      { query: "no skill please", verdict: "no" },
      { query: "crash please", verdict: "error", message: expect.stringContaining("broken on purpose") },
    ]);
    expect(await ask(["hang please"], 5_000)).toEqual([{ query: "hang please", verdict: "timeout" }]);
  });
});
