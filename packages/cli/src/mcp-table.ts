import { libraryOptions, readingOptions } from "./library-option.ts";
import type { CommandGroup } from "./overview.ts";
import type { CommandSpec, OptionSpec } from "./program.ts";

const mcp: CommandGroup = { name: "mcp", summary: "serve skills to MCP clients" };

const serveOptions: readonly OptionSpec[] = [
  { flags: "--off <tool>", summary: "do not offer this tool; may be repeated", repeats: true },
  {
    flags: "--mount <path[:target][:rw]>",
    summary: "show scripts this file or folder, below /mnt unless a target is named; may be repeated",
    repeats: true,
  },
  { flags: "--outputs <folder>", summary: "keep the files that scripts make here, in a folder for each run" },
  {
    flags: "--publish-from <folder>",
    summary: "let the agent publish skills that it writes below this folder to the store; may be repeated",
    repeats: true,
  },
  { flags: "--locations", summary: "say where skills lie, to an agent that reads files by itself" },
  ...readingOptions,
];

/** The commands for MCP clients. */
export const mcpTable: readonly CommandSpec[] = [
  {
    name: "mcp",
    summary: "serve the skills to an MCP client on standard input",
    arguments: [],
    options: serveOptions,
    examples: ["mcp", "mcp --root ./skills --runtime claude-code"],
    load: () => import("./command/mcp.ts"),
  },
  {
    name: "install",
    group: mcp,
    summary: "set an MCP client up to use the skills",
    arguments: [],
    options: [
      {
        flags: "--client <name>",
        summary: "claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, zed or opencode",
      },
      {
        flags: "--scope <scope>",
        summary: "for you in all projects, or for the project in this folder",
        choices: ["user", "project"],
        default: "user",
      },
      { flags: "--name <name>", summary: "what the client calls it", default: "skillhold" },
      { flags: "--gateway <url>", summary: "use the skills of the gateway at this address" },
      {
        flags: "--token-env <variable>",
        summary: "the variable that holds the token for the gateway; by default SKILLHOLD_TOKEN",
      },
      { flags: "--dry-run", summary: "print what would change, and change nothing" },
      { flags: "--undo", summary: "take it back" },
      ...libraryOptions,
    ],
    examples: [
      "mcp install --client claude-code",
      "mcp install --client cursor --scope project --dry-run",
      "mcp install --client codex --undo",
    ],
    load: () => import("./command/mcp-install.ts"),
  },
];
