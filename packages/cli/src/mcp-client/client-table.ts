import { join } from "node:path";
import { didYouMean, suggest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
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
  /** A manual step that the file cannot cover. */
  readonly note?: (server: Server) => string | undefined;
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
    note: (server) =>
      "url" in server
        ? "Zed does not expand variables in its settings: add the Authorization header with your token by hand."
        : undefined,
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

/** Merges a new entry with the existing one and keeps fields that Skillhold does not write. */
export function renewEntry({ entry: write }: McpClient, found: unknown, entry: ConfigEntry): ConfigEntry {
  const kinds: readonly Server[] = [
    { command: "", args: [] },
    { url: "", tokenVariable: "" },
  ];
  const ours = new Set(kinds.flatMap((kind) => Object.keys(write(kind) ?? {})));
  const theirs = Object.entries(tableAt(found)).filter(([key]) => !ours.has(key));
  return { ...entry, ...Object.fromEntries(theirs) };
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
