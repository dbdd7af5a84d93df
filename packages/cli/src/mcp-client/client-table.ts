import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { type ConfigEntry, isTable, type Table } from "./config-text.ts";

/** The user's settings for all projects, or the shared settings of one project. */
export type ConfigScope = "user" | "project";

/** The inputs that determine a client's settings file. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A server that a client starts, or a server by URL. */
export type Server =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly tokenVariable: string };

/** One MCP client: its settings files, their format and the shape of a server entry. */
export interface McpClient {
  readonly id: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** The candidate files: the first existing one wins, otherwise the first. Empty when the client lacks this scope. */
  readonly files: (scope: ConfigScope, place: ClientPlace) => readonly string[];
  /** The key path of the servers in the file. */
  readonly servers: readonly string[];
  /** The key path of an older version of the client, and how to detect its files. */
  readonly older?: { readonly servers: readonly string[]; readonly isIn: (data: unknown) => boolean };
  /** Undefined when the client does not support this kind of server. */
  readonly entry: (server: Server) => ConfigEntry | undefined;
  /** Fields of a new entry that a user may change: a later install keeps their values. */
  readonly defaults?: ConfigEntry;
  /** The manual steps that the file cannot cover. */
  readonly steps?: (server: Server, scope: ConfigScope) => readonly string[];
}

export const mcpClients: readonly McpClient[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    format: "json",
    files: (scope, { home, cwd, env }) => [
      scope === "user" ? join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json") : join(cwd, ".mcp.json"),
    ],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, headers: bearer(`\${${server.tokenVariable}}`) }
        : { type: "stdio", ...server },
    // Without it, the tools are hidden behind the client's tool search.
    defaults: { alwaysLoad: true },
    steps: (_, scope) =>
      scope === "project"
        ? [
            "Claude Code asks each user to approve the server of a project: start it in this folder and accept.",
          ]
        : [],
  },
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    files: (scope, place) =>
      scope === "user" ? [join(settingsFolder(place), "Claude", "claude_desktop_config.json")] : [],
    servers: ["mcpServers"],
    entry: (server) => ("url" in server ? undefined : { ...server }),
  },
  {
    id: "cursor",
    title: "Cursor",
    format: "json",
    files: (scope, { home, cwd }) => [join(scope === "user" ? home : cwd, ".cursor", "mcp.json")],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { url: server.url, headers: bearer(`\${env:${server.tokenVariable}}`) }
        : { ...server },
  },
  {
    id: "vscode",
    title: "VS Code",
    format: "json",
    files: (scope, place) => [
      scope === "user"
        ? join(settingsFolder(place), "Code", "User", "mcp.json")
        : join(place.cwd, ".vscode", "mcp.json"),
    ],
    servers: ["servers"],
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, headers: bearer(`\${env:${server.tokenVariable}}`) }
        : { type: "stdio", ...server },
  },
  {
    id: "codex",
    title: "Codex",
    format: "toml",
    files: (scope, { home, cwd, env }) => [
      scope === "user"
        ? join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml")
        : join(cwd, ".codex", "config.toml"),
    ],
    servers: ["mcp_servers"],
    entry: (server) =>
      "url" in server ? { url: server.url, bearer_token_env_var: server.tokenVariable } : { ...server },
    // Without it, the first turn does not wait for the tools.
    defaults: { required: true },
    steps: (_, scope) => [
      "Codex does not start while the server fails. To change that, set required = false in the entry.",
      ...(scope === "project"
        ? ["Codex reads project settings only in a trusted folder: start it in this folder and trust it."]
        : []),
    ],
  },
  {
    id: "gemini",
    title: "Gemini CLI",
    format: "json",
    files: (scope, { home, cwd }) => [join(scope === "user" ? home : cwd, ".gemini", "settings.json")],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { httpUrl: server.url, headers: bearer(`\${${server.tokenVariable}}`) }
        : { ...server },
    steps: () => [
      "Gemini CLI disables MCP servers in folders that are not trusted: trust yours with /permissions.",
    ],
  },
  {
    id: "copilot",
    title: "Copilot CLI",
    format: "json",
    // Its other project file, `.mcp.json`, is shared with Claude Code, which rejects the type `local`.
    files: (scope, { home, cwd, env }) => [
      scope === "user"
        ? join(env["COPILOT_HOME"] || join(home, ".copilot"), "mcp-config.json")
        : join(cwd, ".github", "mcp.json"),
    ],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, headers: bearer(`\${${server.tokenVariable}}`) }
        : { type: "local", ...server },
    defaults: { tools: ["*"] },
    steps: () => ["Trust the folder when Copilot CLI asks for it."],
  },
  {
    id: "qwen",
    title: "Qwen Code",
    format: "json",
    files: (scope, { home, cwd, env }) => [
      scope === "user"
        ? join(env["QWEN_HOME"] || join(home, ".qwen"), "settings.json")
        : join(cwd, ".qwen", "settings.json"),
    ],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { httpUrl: server.url, headers: bearer(`\${${server.tokenVariable}}`) }
        : { ...server },
    steps: () => ["If folder trust is on in Qwen Code, trust your folder."],
  },
  {
    id: "amp",
    title: "Amp",
    format: "json",
    files: (scope, { home, cwd, env }) => [
      scope === "user"
        ? join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "amp", "settings.json")
        : join(cwd, ".amp", "settings.json"),
    ],
    servers: ["amp.mcpServers"],
    entry: (server) =>
      "url" in server ? { url: server.url, headers: bearer(`\${${server.tokenVariable}}`) } : { ...server },
    steps: (_, scope) =>
      scope === "project" ? ["Amp requires approval for workspace servers: run `amp mcp approve`."] : [],
  },
  {
    id: "droid",
    title: "Droid",
    format: "json",
    files: (scope, { home, cwd }) => [join(scope === "user" ? home : cwd, ".factory", "mcp.json")],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { type: "http", url: server.url, headers: bearer(`\${${server.tokenVariable}}`) }
        : { type: "stdio", ...server },
    defaults: { disabled: false },
  },
  {
    id: "kiro",
    title: "Kiro",
    format: "json",
    files: (scope, { home, cwd }) => [join(scope === "user" ? home : cwd, ".kiro", "settings", "mcp.json")],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server ? { url: server.url, headers: bearer(`\${${server.tokenVariable}}`) } : { ...server },
    steps: (server) =>
      "url" in server
        ? [`Kiro expands only approved variables: add ${server.tokenVariable} to its approved MCP variables.`]
        : [],
  },
  {
    id: "windsurf",
    title: "Windsurf",
    format: "json",
    files: (scope, { home }) =>
      scope === "user" ? [join(home, ".codeium", "windsurf", "mcp_config.json")] : [],
    servers: ["mcpServers"],
    entry: (server) =>
      "url" in server
        ? { serverUrl: server.url, headers: bearer(`\${env:${server.tokenVariable}}`) }
        : { ...server },
  },
  {
    id: "zed",
    title: "Zed",
    format: "json",
    files: (scope, place) => [
      join(scope === "project" ? join(place.cwd, ".zed") : zedFolder(place), "settings.json"),
    ],
    servers: ["context_servers"],
    entry: (server) => ("url" in server ? { url: server.url } : { ...server }),
    steps: (server) =>
      "url" in server
        ? [
            "Zed does not expand variables in its settings: add the Authorization header with your token by hand.",
          ]
        : [],
  },
  {
    id: "opencode",
    title: "OpenCode",
    format: "json",
    files: (scope, { home, cwd, env }) => {
      const folders =
        scope === "user"
          ? [join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode")]
          : [cwd, join(cwd, ".opencode")];
      return folders.flatMap((folder) => [join(folder, "opencode.json"), join(folder, "opencode.jsonc")]);
    },
    servers: ["mcp", "servers"],
    older: {
      servers: ["mcp"],
      isIn: (data) =>
        Object.values(tableAt(data, "mcp")).some((each) => typeof tableAt(each)["type"] === "string"),
    },
    entry: (server) =>
      "url" in server
        ? { type: "remote", url: server.url, headers: bearer(`{env:${server.tokenVariable}}`) }
        : { type: "local", command: [server.command, ...server.args] },
  },
];

/** Merges a new entry with the existing one and keeps the user's fields and values. */
export function renewEntry(
  { entry: write, defaults }: McpClient,
  found: unknown,
  entry: ConfigEntry,
): ConfigEntry {
  const kinds: readonly Server[] = [
    { command: "", args: [] },
    { url: "", tokenVariable: "" },
  ];
  const ours = new Set(kinds.flatMap((kind) => Object.keys(write(kind) ?? {})));
  const theirs = Object.entries(tableAt(found)).filter(([key]) => !ours.has(key));
  return { ...entry, ...defaults, ...Object.fromEntries(theirs) };
}

export function getClient(id: string | undefined): McpClient {
  const ids = mcpClients.map((client) => client.id);
  const found = mcpClients.find((client) => client.id === id);
  if (found !== undefined) return found;
  const all = `The clients are ${ids.join(", ")}.`;
  if (id === undefined) throw new SkillError("USAGE", "--client is required.", { hint: all });
  throw new SkillError("USAGE", `The client ${id} is not supported.`, {
    hint: didYouMean(suggest(id.toLowerCase(), ids)) ?? all,
  });
}

function tableAt(value: unknown, key?: string): Table {
  const found = key === undefined ? value : isTable(value) ? value[key] : undefined;
  return isTable(found) ? found : {};
}

function bearer(token: string): ConfigEntry {
  return { Authorization: `Bearer ${token}` };
}

function zedFolder({ home, platform, env }: ClientPlace): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Zed");
  const named = platform === "darwin" ? "" : env["FLATPAK_XDG_CONFIG_HOME"] || env["XDG_CONFIG_HOME"];
  return join(named || join(home, ".config"), "zed");
}

/** The folder for the settings of desktop apps. */
function settingsFolder({ home, platform, env }: ClientPlace): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(home, ".config");
}
