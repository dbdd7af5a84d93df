import { join } from "node:path";
import { didYouMean, suggest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { type ConfigEntry, isTable, type Table } from "./config-text.ts";

/** Whose settings: the user's for all projects, or those of a project, which others may share. */
export type ConfigScope = "user" | "project";

/** What decides where a client keeps its settings. */
export interface ClientPlace {
  readonly home: string;
  readonly cwd: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How a client starts a server, or where it finds one. */
export type Server =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly tokenVariable: string };

/** One MCP client: where its settings lie, what they are written in, and how a server stands in them. */
export interface McpClient {
  readonly id: string;
  readonly title: string;
  readonly format: "json" | "toml";
  /** Candidates, of which one that is there is taken before the first; none where it has no settings of this scope. */
  readonly files: (scope: ConfigScope, place: ClientPlace) => readonly string[];
  /** The way to the servers in the file. */
  readonly servers: readonly string[];
  /** The way that an older version of the client had, and whether a file is of that time. */
  readonly older?: { readonly servers: readonly string[]; readonly isIn: (data: unknown) => boolean };
  /** Undefined where the client knows no servers of this kind. */
  readonly entry: (server: Server) => ConfigEntry | undefined;
  /** What is left to do, where a file is not all. */
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
        ? "Zed reads no variables in its settings: add the header Authorization with your token by hand."
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

/** An entry in place of the one that is there: what people and clients have added to that stays. */
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
  if (id === undefined)
    throw new SkillError("USAGE", "Say for which client: --client <name>.", { hint: all });
  throw new SkillError("USAGE", `There is no client ${id}.`, {
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

/** Where programs with windows keep a user's settings. */
function settingsFolder({ home, platform, env }: ClientPlace): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(home, ".config");
}
