import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Scene } from "./scene.ts";

/** The command that a client runs with one prompt, without a terminal. */
export interface Headless {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** One client: its settings beside our entry, and the ways to start it. */
export interface Driver {
  /** The id that `mcp install` knows. */
  readonly id: string;
  /** Writes the settings that point the client at the fake model. */
  readonly configure?: (scene: Scene, model: string) => void;
  readonly headless: (prompt: string, scene: Scene, model: string, modules: string) => Headless;
  /** The prompt, or the arguments, that start the skill `greet` with these words. */
  readonly command?: (words: string) => { readonly prompt: string; readonly args?: readonly string[] };
  /** Starts the terminal interface, for clients that can ask their user. */
  readonly terminal?: (scene: Scene, model: string, modules: string) => TerminalUse;
}

/** How to start and use a terminal interface. */
export interface TerminalUse {
  readonly start: Headless;
  /** The keys that lead to the screen that accepts a prompt. */
  readonly before?: readonly Answer[];
  /** The screen that accepts a prompt. */
  readonly ready: RegExp;
  /** The keys that approve a run once. */
  readonly answers: readonly Answer[];
}

/** The keys to press on a screen. */
export interface Answer {
  readonly screen: RegExp;
  readonly keys: readonly string[];
}

const platform = `${process.platform}-${process.arch}`;
const claudeOf = (modules: string) => join(modules, `@anthropic-ai/claude-code-${platform}/claude`);
const claudeEnv = (model: string) => ({
  ANTHROPIC_BASE_URL: model,
  ANTHROPIC_API_KEY: "x",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  IS_SANDBOX: "1",
});
const copilotOf = (modules: string) => join(modules, `@github/copilot-${platform}/copilot`);
const copilotEnv = (model: string) => ({
  COPILOT_OFFLINE: "true",
  COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
  COPILOT_MODEL: "gpt-5.1",
});
const codexSettings = (model: string) => {
  const provider = `{name="fake",base_url="${model}/v1",env_key="K",wire_api="responses",requires_openai_auth=false}`;
  return ["-c", "model_provider=fake", "-c", `model_providers.fake=${provider}`, "-m", "fake"];
};

export const drivers: readonly Driver[] = [
  {
    id: "claude-code",
    configure: (scene) => {
      const projects = {
        [scene.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
      };
      const keys = { approved: ["x"], rejected: [] };
      const settings = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: keys, projects };
      scene.write("home/.claude.json", JSON.stringify(settings));
    },
    headless: (prompt, _, model, modules) => ({
      program: claudeOf(modules),
      args: [
        "-p",
        prompt,
        "--allowedTools",
        "mcp__skillhold__*",
        "--output-format",
        "stream-json",
        "--verbose",
      ],
      env: claudeEnv(model),
    }),
    command: (words) => ({ prompt: `/mcp__skillhold__greet ${words}` }),
    terminal: (_, model, modules) => ({
      start: {
        program: claudeOf(modules),
        args: ["--allowedTools", "mcp__skillhold__*"],
        env: claudeEnv(model),
      },
      ready: /❯/,
      answers: [
        { screen: /Decision: ▸ not set/, keys: ["Right"] },
        { screen: /❯ ◯ approve once/, keys: ["Enter"] },
        { screen: /❯ Accept/, keys: ["Enter"] },
      ],
    }),
  },
  {
    id: "codex",
    headless: (prompt, _, model, modules) => ({
      program: join(modules, ".bin/codex"),
      // Without a user, Codex rejects every tool that is not read-only unless its settings approve it.
      args: [
        ...["exec", "--skip-git-repo-check", "--json", ...codexSettings(model)],
        ...["-c", 'mcp_servers.skillhold.default_tools_approval_mode="approve"', prompt],
      ],
      env: { K: "x" },
    }),
    terminal: (_, model, modules) => ({
      start: { program: join(modules, ".bin/codex"), args: codexSettings(model), env: { K: "x" } },
      ready: /\? for shortcuts/,
      answers: [
        // Its own question comes before ours.
        { screen: /› 1\. Allow /, keys: ["Enter"] },
        { screen: /› 1\. approve once/, keys: ["Enter"] },
      ],
    }),
  },
  {
    id: "gemini",
    configure: (scene) => {
      scene.write(
        "home/.gemini/settings.json",
        JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
      );
      scene.write("home/.gemini/trustedFolders.json", JSON.stringify({ [scene.project]: "TRUST_FOLDER" }));
    },
    headless: (prompt, _, model, modules) => ({
      program: join(modules, ".bin/gemini"),
      args: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", prompt],
      env: { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: model },
    }),
    command: (words) => ({ prompt: `/greet ${words}` }),
  },
  {
    id: "opencode",
    configure: (scene, model) => {
      const options = { baseURL: `${model}/v1`, apiKey: "x" };
      const fake = {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options,
        models: { fake: { name: "Fake" } },
      };
      const settings = { provider: { fake }, model: "fake/fake", autoupdate: false };
      scene.write("home/.config/opencode/opencode.json", JSON.stringify(settings));
    },
    headless: (prompt, _, _model, modules) => ({
      program: join(modules, `opencode-${platform}/bin/opencode`),
      args: ["run", "--format", "json", ...(prompt === "" ? [] : [prompt])],
      env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
    }),
    command: (words) => ({ prompt: words, args: ["--command", "skillhold:greet"] }),
  },
  {
    id: "copilot",
    headless: (prompt, _, model, modules) => ({
      program: copilotOf(modules),
      args: ["-p", prompt, "--allow-all-tools"],
      env: copilotEnv(model),
    }),
    terminal: (_, model, modules) => ({
      start: { program: copilotOf(modules), args: ["--allow-all-tools"], env: copilotEnv(model) },
      before: [{ screen: /Do you trust the files in this folder/, keys: ["Enter"] }],
      ready: /MCP Servers reloaded: 1 server connected/,
      answers: [{ screen: /❯ approve once/, keys: ["Enter"] }],
    }),
  },
];

/** Configures a client as `mcp install` does. */
export function configure({ id, configure: write }: Driver, scene: Scene, model: string): void {
  write?.(scene, model);
  scene.skillhold("mcp", "install", "--client", id, "--root", join(scene.root, "skills"), "--no-store");
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
}

const TIMEOUT_MS = 180_000;

/** Runs a client to its end. */
export function run({ program, args, env }: Headless, scene: Scene): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: scene.project,
      env: environment(scene, env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, out: Buffer.concat(chunks).toString("utf8") });
    });
  });
}

export function environment({ home }: Scene, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const path = `${join(process.execPath, "..")}:${process.env["PATH"]}`;
  return { PATH: path, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color", ...env };
}
