/** A program or framework that an agent runs in, and the settings that connect it to this gateway. */
export interface AgentClient {
  readonly id: string;
  readonly title: string;
  readonly kind: "client" | "framework";
  /** The name in the `runtime:` field of skills. */
  readonly runtime: string;
  /** Where the settings go. */
  readonly file: string;
  readonly settings: (origin: string) => string;
  /** A step that the settings do not cover. */
  readonly step?: string;
}

/** The variable that clients read the token from, so that no file contains it. */
export const TOKEN_VARIABLE = "SKILLHOLD_TOKEN";
const SERVER = "skillhold";

type Entry = (url: string) => Readonly<Record<string, unknown>>;

const json =
  (path: readonly string[], entry: Entry) =>
  (origin: string): string => {
    const server: object = { [SERVER]: entry(`${origin}/mcp`) };
    const whole = path.reduceRight<object>((inner, name) => ({ [name]: inner }), server);
    return JSON.stringify(whole, undefined, 2);
  };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const plain = bearer(`\${${TOKEN_VARIABLE}}`);
const prefixed = bearer(`\${env:${TOKEN_VARIABLE}}`);

const client = (row: Omit<AgentClient, "kind" | "runtime">): AgentClient => ({
  ...row,
  kind: "client",
  runtime: row.id,
});

interface Framework {
  readonly id: string;
  readonly title: string;
  readonly runtime: string;
  readonly uses: string;
  readonly code: string;
}

const framework = ({ id, title, runtime, uses, code }: Framework): AgentClient => ({
  id,
  title,
  kind: "framework",
  runtime,
  file: "your program",
  settings: (origin) =>
    [
      'import { openSkillhold } from "skillhold";',
      `import { ${uses}, name } from "skillhold/${id}";`,
      "",
      "await using skillhold = await openSkillhold({",
      "  runtime: name(),",
      `  gateways: [{ url: "${origin}", token: process.env.${TOKEN_VARIABLE} ?? "" }],`,
      "});",
      "const session = await skillhold.session().open();",
      code,
    ].join("\n"),
});

/** The same clients as `skillhold mcp install` configures, and the frameworks with an adapter. */
export const agentClients: readonly AgentClient[] = [
  client({
    id: "claude-code",
    title: "Claude Code",
    file: "~/.claude.json, or .mcp.json in a project",
    settings: json(["mcpServers"], (url) => ({ type: "http", url, headers: plain, alwaysLoad: true })),
  }),
  client({
    id: "codex",
    title: "Codex",
    file: "~/.codex/config.toml",
    settings: (origin) => `[mcp_servers.${SERVER}]
url = "${origin}/mcp"
bearer_token_env_var = "${TOKEN_VARIABLE}"
required = true`,
  }),
  client({
    id: "cursor",
    title: "Cursor",
    file: "~/.cursor/mcp.json",
    settings: json(["mcpServers"], (url) => ({ url, headers: prefixed })),
  }),
  client({
    id: "vscode",
    title: "VS Code",
    file: ".vscode/mcp.json",
    settings: json(["servers"], (url) => ({ type: "http", url, headers: prefixed })),
  }),
  client({
    id: "gemini",
    title: "Gemini CLI",
    file: "~/.gemini/settings.json",
    settings: json(["mcpServers"], (url) => ({ httpUrl: url, headers: plain })),
    step: "Trust your folder with /permissions: Gemini CLI disables MCP servers in other folders.",
  }),
  client({
    id: "copilot",
    title: "Copilot CLI",
    file: "~/.copilot/mcp-config.json",
    settings: json(["mcpServers"], (url) => ({ type: "http", url, headers: plain, tools: ["*"] })),
    step: "Trust the folder when Copilot CLI asks for it.",
  }),
  client({
    id: "qwen",
    title: "Qwen Code",
    file: "~/.qwen/settings.json",
    settings: json(["mcpServers"], (url) => ({ httpUrl: url, headers: plain })),
    step: "If folder trust is on in Qwen Code, trust your folder.",
  }),
  client({
    id: "amp",
    title: "Amp",
    file: "~/.config/amp/settings.json",
    settings: json(["amp.mcpServers"], (url) => ({ url, headers: plain })),
  }),
  client({
    id: "droid",
    title: "Droid",
    file: "~/.factory/mcp.json",
    settings: json(["mcpServers"], (url) => ({ type: "http", url, headers: plain, disabled: false })),
  }),
  client({
    id: "kiro",
    title: "Kiro",
    file: "~/.kiro/settings/mcp.json",
    settings: json(["mcpServers"], (url) => ({ url, headers: plain })),
    step: `Add ${TOKEN_VARIABLE} to the approved MCP variables of Kiro.`,
  }),
  client({
    id: "windsurf",
    title: "Windsurf",
    file: "~/.codeium/windsurf/mcp_config.json",
    settings: json(["mcpServers"], (url) => ({ serverUrl: url, headers: prefixed })),
  }),
  client({
    id: "zed",
    title: "Zed",
    file: "~/.config/zed/settings.json",
    settings: json(["context_servers"], (url) => ({ url })),
    step: "Add the Authorization header with your token by hand: Zed does not expand variables.",
  }),
  client({
    id: "opencode",
    title: "OpenCode",
    file: "~/.config/opencode/opencode.json",
    settings: json(["mcp", "servers"], (url) => ({
      type: "remote",
      url,
      headers: bearer(`{env:${TOKEN_VARIABLE}}`),
    })),
  }),
  framework({
    id: "ai",
    title: "AI SDK",
    runtime: "ai-sdk",
    uses: "aiSkills",
    code: "const agent = new ToolLoopAgent({ model, ...aiSkills(session) });",
  }),
  framework({
    id: "langchain",
    title: "LangChain and LangGraph",
    runtime: "langchain",
    uses: "skillsMiddleware",
    code: "const agent = createAgent({ model, middleware: [skillsMiddleware(session)] });",
  }),
  framework({
    id: "deepagents",
    title: "deepagents",
    runtime: "deepagents",
    uses: "deepSkills",
    code: "const agent = createDeepAgent({ model, ...deepSkills(session) });",
  }),
  framework({
    id: "openai-agents",
    title: "OpenAI Agents",
    runtime: "openai-agents",
    uses: "openAiSkills",
    code: 'const agent = new Agent({ name: "assistant", model, ...openAiSkills(session) });',
  }),
  framework({
    id: "anthropic",
    title: "Anthropic SDK",
    runtime: "anthropic",
    uses: "anthropicSkills",
    code: "const { params } = await anthropicSkills(session);",
  }),
  framework({
    id: "claude-agent",
    title: "Claude Agent SDK",
    runtime: "claude-agent-sdk",
    uses: "claudeSkills",
    code: "const answer = query({ prompt, options: await claudeSkills(session) });",
  }),
  framework({
    id: "mastra",
    title: "Mastra",
    runtime: "mastra",
    uses: "mastraSkills",
    code: 'const agent = new Agent({ name: "assistant", model, ...mastraSkills(session) });',
  }),
];

/** The client with this id; the first one for an unknown id. */
export function clientWith(id: string | null): AgentClient {
  const [first] = agentClients;
  const found = agentClients.find((each) => each.id === id) ?? first;
  if (found === undefined) throw new Error("there are no clients");
  return found;
}

/** A key for a new agent of the client that is not in use. */
export function freeKey({ id }: AgentClient, used: readonly string[]): string {
  for (let at = 1; ; at += 1) {
    const key = at === 1 ? id : `${id}-${at}`;
    if (!used.includes(key)) return key;
  }
}
