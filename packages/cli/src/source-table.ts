import { sourceOptions } from "./library-option.ts";
import type { ArgumentSpec, CommandGroup } from "./overview.ts";
import type { CommandSpec } from "./program.ts";

const source: CommandGroup = { name: "source", summary: "keep the servers whose skills are looked at" };
const labelArgument: ArgumentSpec = {
  usage: "<label>",
  summary: "what the source was called when it was added",
};
const dryRunOption = { flags: "--dry-run", summary: "say what would happen, and change nothing" };

/** The commands about where skills come from. */
export const sourceTable: readonly CommandSpec[] = [
  {
    name: "add",
    group: source,
    summary: "look at the skills of an MCP server, too",
    arguments: [
      { usage: "<kind>", summary: "what it is: mcp" },
      { usage: "<label>", summary: "what to call it here" },
      { usage: "[command...]", summary: "the program that is the server, after --" },
    ],
    options: [
      { flags: "--url <url>", summary: "the address of the server, in place of a program" },
      {
        flags: "--header <header>",
        summary: 'send this header, as "Name: value"; may be repeated; not for secrets',
        repeats: true,
      },
      {
        flags: "--header-env <name=variable>",
        summary: "send this header, with the value that the variable has at the time; may be repeated",
        repeats: true,
      },
      {
        flags: "--env <variable>",
        summary: "hand this variable on to the program; may be repeated",
        repeats: true,
      },
      {
        flags: "--skill <address>",
        summary:
          "also take this skill, which the server need not list: skill://<path>/SKILL.md; may be repeated",
        repeats: true,
      },
      { flags: "--yes", summary: "do not ask before a program is added" },
      dryRunOption,
    ],
    examples: [
      "source add mcp acme -- npx -y @acme/skills-server",
      "source add mcp wiki --url https://w.example --header-env X-Key=WIKI_KEY",
    ],
    load: () => import("./command/source-add.ts"),
  },
  {
    name: "list",
    group: source,
    summary: "list all sources of skills, and how it stands with each",
    arguments: [],
    options: sourceOptions,
    examples: ["source list", "source list --no-mcp"],
    load: () => import("./command/source-list.ts"),
  },
  {
    name: "test",
    group: source,
    summary: "ask a server for all its skills, and check every file",
    arguments: [labelArgument],
    options: [],
    examples: ["source test acme"],
    load: () => import("./command/source-test.ts"),
  },
  {
    name: "remove",
    group: source,
    summary: "no longer look at the skills of a server",
    arguments: [labelArgument],
    options: [dryRunOption],
    examples: ["source remove acme"],
    load: () => import("./command/source-remove.ts"),
  },
];
