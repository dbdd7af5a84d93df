import { accessTable } from "./access-table.ts";
import { auditTable } from "./audit-table.ts";
import { dependencyTable } from "./dependency-table.ts";
import { depsOption, libraryOptions, readingOptions } from "./library-option.ts";
import { mcpTable } from "./mcp-table.ts";
import type { ArgumentSpec } from "./overview.ts";
import type { CommandSpec } from "./program.ts";
import { registryTable } from "./registry-table.ts";
import { remoteTable } from "./remote-table.ts";
import { runTable } from "./run-table.ts";
import { serveTable } from "./serve-table.ts";
import { sourceTable } from "./source-table.ts";
import { roleOption } from "./store-option.ts";
import { tokenTable } from "./token-table.ts";

const idArgument: ArgumentSpec = { usage: "<id>", summary: "the skill's id, as `list` prints it" };

/** Every command, in the order of the help. */
export const commandTable: readonly CommandSpec[] = [
  {
    name: "validate",
    summary: "check skills against a profile, and say how to mend them",
    arguments: [{ usage: "[paths...]", summary: "folders that are or hold skills", default: ["."] }],
    options: [
      {
        flags: "--profile <name>",
        summary: "which rules apply",
        choices: ["strict", "publish", "lenient", "mcp", "molecule", "authoring"],
        default: "strict",
      },
      { flags: "--fix", summary: "mend what can be mended without a decision" },
      { flags: "--quiet", summary: "print findings only" },
    ],
    examples: ["validate ./skills", "validate --profile publish --fix ./skills/pdf"],
    load: () => import("./command/validate.ts"),
  },
  {
    name: "list",
    summary: "list the skills that an agent would find",
    arguments: [{ usage: "[roots...]", summary: "look at these folders only" }],
    options: [
      { flags: "--invalid", summary: "show the skills that cannot be loaded, and why" },
      { flags: "--tag <tag>", summary: "only skills with this tag" },
      depsOption,
      ...readingOptions,
    ],
    examples: ["list", "list ./skills --invalid", "list --runtime claude-code --json"],
    load: () => import("./command/list.ts"),
  },
  {
    name: "search",
    summary: "find the skills that fit a task, and say why they do",
    arguments: [{ usage: "<query...>", summary: "words, a name, or a whole task" }],
    options: [{ flags: "--limit <count>", summary: "how many at most", default: "10" }, ...readingOptions],
    examples: ["search merge pdf files", "search --root ./skills --limit 3 slides"],
    load: () => import("./command/search.ts"),
  },
  {
    name: "read",
    summary: "print what an agent gets when it loads a skill",
    arguments: [idArgument, { usage: "[args...]", summary: "what a user would type after the name" }],
    options: [
      { flags: "--raw", summary: "print the instructions as written, and nothing else" },
      ...readingOptions,
    ],
    examples: ["read pdf", "read --raw pdf", "read review-pr 42"],
    load: () => import("./command/read.ts"),
  },
  {
    name: "catalog",
    summary: "print the part of a prompt that names the skills",
    arguments: [],
    options: [
      {
        flags: "--format <name>",
        summary: "how it is written; by default the model decides",
        choices: ["xml", "xml-attr", "markdown", "json"],
      },
      { flags: "--model <name>", summary: "the model that will read it" },
      { flags: "--task <text>", summary: "when room is short, name the skills that fit this best" },
      { flags: "--budget <tokens>", summary: "how many tokens it may cost" },
      { flags: "--pin <id>", summary: "name this skill before all others; may be repeated", repeats: true },
      { flags: "--locations", summary: "say where skills lie, for an agent that reads files" },
      ...readingOptions,
    ],
    examples: ["catalog", 'catalog --model claude --task "fill in a form" --budget 500'],
    load: () => import("./command/catalog.ts"),
  },
  {
    name: "show",
    summary: "show all that is known of a skill",
    arguments: [idArgument],
    options: readingOptions,
    examples: ["show pdf"],
    load: () => import("./command/show.ts"),
  },
  {
    name: "resource",
    summary: "print a file of a skill",
    arguments: [idArgument, { usage: "<path>", summary: "the file, from the skill's folder" }],
    options: [
      { flags: "--start <byte>", summary: "begin at this byte" },
      { flags: "--length <bytes>", summary: "print so many bytes at most" },
      ...readingOptions,
    ],
    examples: ["resource pdf references/forms.md", "resource pdf assets/logo.png > logo.png"],
    load: () => import("./command/resource.ts"),
  },
  {
    name: "explain",
    summary: "say why skills are, or are not, in an agent's prompt",
    arguments: [{ usage: "[id]", summary: "only the candidates of this id" }],
    options: [
      depsOption,
      roleOption("as whom: to an admin the skills of others are named, too"),
      ...readingOptions,
    ],
    examples: ["explain", "explain pdf --agent writer --runtime claude-code"],
    load: () => import("./command/explain.ts"),
  },
  ...runTable,
  ...registryTable,
  ...accessTable,
  ...tokenTable,
  ...serveTable,
  ...remoteTable,
  ...auditTable,
  ...dependencyTable,
  ...sourceTable,
  ...mcpTable,
  {
    name: "doctor",
    summary: "check the machine and the skills, with fixes",
    arguments: [],
    options: libraryOptions,
    examples: ["doctor", "doctor --root ./skills --json"],
    load: () => import("./command/doctor.ts"),
  },
  {
    name: "watch",
    summary: "print changes of skills as they happen",
    arguments: [],
    options: readingOptions,
    examples: ["watch", "watch --root ./skills --json"],
    load: () => import("./command/watch.ts"),
  },
  {
    name: "properties",
    summary: "print what a skill declares",
    arguments: [{ usage: "<path>", summary: "a skill's folder or its SKILL.md" }],
    options: [],
    examples: ["properties ./skills/pdf --json"],
    load: () => import("./command/properties.ts"),
  },
  {
    name: "prompt",
    summary: "print the block that tells an agent which skills exist",
    arguments: [{ usage: "[paths...]", summary: "folders that are or hold skills" }],
    options: [],
    examples: ["prompt ./skills"],
    load: () => import("./command/prompt.ts"),
  },
];
