import { sourceOptions } from "./library-option.ts";
import type { ArgumentSpec, CommandGroup } from "./overview.ts";
import type { CommandSpec, OptionSpec } from "./program.ts";
import { askerOptions, granterOptions, storeOption } from "./store-option.ts";

const skillArgument: ArgumentSpec = { usage: "<id>", summary: "the skill's id, as `list` prints it" };
const keyArgument: ArgumentSpec = { usage: "<key>", summary: "what the agent is called by" };
const dryRunOption: OptionSpec = { flags: "--dry-run", summary: "say what would happen, and change nothing" };
const writeOptions: readonly OptionSpec[] = [dryRunOption, ...askerOptions, storeOption];

const agent: CommandGroup = { name: "agent", summary: "keep the agents that skills are granted to" };

/** What may be said of an agent, when it is added and later. */
const agentOptions: readonly OptionSpec[] = [
  { flags: "--name <text>", summary: "a name for people" },
  { flags: "--runtime <name>", summary: "what its runtime calls itself; by default as its manifest says" },
  { flags: "--allow <ids>", summary: "limit it to these skills, with commas between; empty for none" },
  { flags: "--pin <skill@revision>", summary: "hold it to this revision; may be repeated", repeats: true },
  { flags: "--manifest <file>", summary: "keep this agent.yaml, which limits it, too" },
];

const granteeOptions: readonly OptionSpec[] = [
  { flags: "--agent <key>", summary: "an agent, as `agent list` prints it" },
  { flags: "--user <name>", summary: "a user" },
];

/** The commands that say who may use what. */
export const accessTable: readonly CommandSpec[] = [
  {
    name: "add",
    group: agent,
    summary: "put an agent on record",
    arguments: [keyArgument],
    options: [
      ...agentOptions,
      { flags: "--owner <name>", summary: "the user it belongs to; by default you" },
      ...writeOptions,
    ],
    examples: [
      "agent add writer --runtime claude-code",
      "agent add reviewer --runtime codex --allow review-pr,pdf --pin pdf@2",
    ],
    load: () => import("./command/agent-add.ts"),
  },
  {
    name: "list",
    group: agent,
    summary: "list the agents there are",
    arguments: [],
    options: [storeOption],
    examples: ["agent list"],
    load: () => import("./command/agent-list.ts"),
  },
  {
    name: "show",
    group: agent,
    summary: "show an agent and what it was granted",
    arguments: [keyArgument],
    options: [...askerOptions, storeOption],
    examples: ["agent show writer"],
    load: () => import("./command/agent-show.ts"),
  },
  {
    name: "edit",
    group: agent,
    summary: "change what an agent is shown and held to",
    arguments: [keyArgument],
    options: [
      ...agentOptions,
      { flags: "--allow-all", summary: "limit it to no list of skills" },
      { flags: "--unpin <skill>", summary: "hold it to no revision of this; may be repeated", repeats: true },
      { flags: "--no-manifest", summary: "keep no agent.yaml" },
      ...writeOptions,
    ],
    examples: ["agent edit writer --allow pdf,docx", "agent edit writer --pin pdf@3 --unpin docx"],
    load: () => import("./command/agent-edit.ts"),
  },
  {
    name: "remove",
    group: agent,
    summary: "take an agent away, and all that it was granted",
    arguments: [keyArgument],
    options: writeOptions,
    examples: ["agent remove writer"],
    load: () => import("./command/agent-remove.ts"),
  },
  {
    name: "grant",
    summary: "let an agent or a user use a skill",
    arguments: [skillArgument],
    options: [
      ...granteeOptions,
      { flags: "--pin <revision>", summary: "hold them to this revision" },
      { flags: "--manage", summary: "let them publish, edit and grant it, too" },
      dryRunOption,
      ...granterOptions,
      storeOption,
    ],
    examples: ["grant pdf --agent writer", "grant pdf --user bob --pin 2", "grant pdf --user eve --manage"],
    load: () => import("./command/grant.ts"),
  },
  {
    name: "revoke",
    summary: "take a grant back",
    arguments: [skillArgument],
    options: [...granteeOptions, dryRunOption, ...granterOptions, storeOption],
    examples: ["revoke pdf --agent writer"],
    load: () => import("./command/revoke.ts"),
  },
  {
    name: "access",
    summary: "say who may use a skill, and by which rule",
    arguments: [skillArgument],
    options: [
      { flags: "--agent <key>", summary: "decide for this agent" },
      { flags: "--user <name>", summary: "decide for this user, or for the agent on their behalf" },
      { flags: "--runtime <name>", summary: "in this runtime; by default the agent's own" },
      ...granterOptions,
      storeOption,
    ],
    examples: ["access pdf", "access pdf --agent writer --user bob"],
    load: () => import("./command/access.ts"),
  },
  {
    name: "enable",
    summary: "switch a skill on again",
    arguments: [skillArgument],
    options: [dryRunOption, ...askerOptions, ...sourceOptions],
    examples: ["enable pdf", "enable my-skill --root ./skills"],
    load: () => import("./command/enable.ts"),
  },
  {
    name: "disable",
    summary: "switch a skill off for everyone",
    arguments: [skillArgument],
    options: [dryRunOption, ...askerOptions, ...sourceOptions],
    examples: ["disable pdf", "disable pdf --source registry"],
    load: () => import("./command/disable.ts"),
  },
  {
    name: "archive",
    summary: "take a skill out of use, and say why",
    arguments: [skillArgument],
    options: [{ flags: "--reason <text>", summary: "why, in a few words" }, ...writeOptions],
    examples: [`archive pdf --reason "Use pdf-tools in its place."`],
    load: () => import("./command/archive.ts"),
  },
  {
    name: "unarchive",
    summary: "bring an archived skill back into use",
    arguments: [skillArgument],
    options: writeOptions,
    examples: ["unarchive pdf"],
    load: () => import("./command/unarchive.ts"),
  },
];
