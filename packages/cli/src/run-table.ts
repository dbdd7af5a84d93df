import { libraryOptions } from "./library-option.ts";
import type { ArgumentSpec, CommandGroup } from "./overview.ts";
import type { CommandSpec, OptionSpec } from "./program.ts";

const idArgument: ArgumentSpec = { usage: "<id>", summary: "the skill's id, as `list` prints it" };
const nameArgument: ArgumentSpec = { usage: "<name>", summary: "the variable that the skill reads it from" };

const secret: CommandGroup = { name: "secret", summary: "keep the values that skills ask for" };
const approval: CommandGroup = { name: "approval", summary: "see and revoke what was approved" };
const policy: CommandGroup = { name: "policy", summary: "explain what may run" };
const sandbox: CommandGroup = { name: "sandbox", summary: "try the sandbox" };

const consentOption: OptionSpec = {
  flags: "--yes-for-this-content",
  summary: "approve it unasked, for 15 minutes or until the skill changes",
};

/** What a run is granted of this machine. */
const grantOptions: readonly OptionSpec[] = [
  consentOption,
  { flags: "--network", summary: "let it use the network" },
  { flags: "--network-host <host>", summary: "let it reach this host alone; may be repeated", repeats: true },
  {
    flags: "--mount <path[:target][:rw]>",
    summary: "show it this file or folder, below /mnt unless a target is named; may be repeated",
    repeats: true,
  },
  {
    flags: "--unsandboxed",
    summary: "run it without a sandbox; SKILLHOLD_ALLOW_UNSANDBOXED=1 must be set, too",
  },
];

/** The commands that run what skills bring along, and those that say what may run. */
export const runTable: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "run a script of a skill in the sandbox",
    arguments: [
      idArgument,
      { usage: "<script>", summary: "its path in the skill; `scripts/` may be left out" },
      { usage: "[args...]", summary: "what it is given; after `--` exactly as it stands" },
    ],
    options: [
      ...grantOptions,
      { flags: "--stdin", summary: "pass on what is piped in" },
      { flags: "--out <folder>", summary: "keep the files that it makes here; the folder must be empty" },
      ...libraryOptions,
    ],
    examples: ["run pdf extract.py -- report.pdf", "run pdf fill.py --mount ./forms --out ./filled"],
    load: () => import("./command/run.ts"),
  },
  {
    name: "tools",
    summary: "list the tools that a skill declares",
    arguments: [idArgument],
    options: [consentOption, ...libraryOptions],
    examples: ["tools weather", "tools weather --json"],
    load: () => import("./command/tools.ts"),
  },
  {
    name: "call",
    summary: "call a tool that a skill declares",
    arguments: [idArgument, { usage: "<tool>", summary: "its name, as `tools` prints it" }],
    options: [
      {
        flags: "--args <json>",
        summary: "its arguments, or `@file` for a file that holds them",
        default: "{}",
      },
      consentOption,
      ...libraryOptions,
    ],
    examples: [`call weather forecast --args '{"city":"Oslo"}'`],
    load: () => import("./command/call.ts"),
  },
  {
    name: "explain",
    group: policy,
    summary: "print the rules that decide what may run",
    arguments: [{ usage: "[id]", summary: "say what running this skill would need" }],
    options: [
      {
        flags: "--act <act>",
        summary: "decide a request for this",
        choices: ["run_script", "call_tool", "shell_in_prompt", "install"],
      },
      {
        flags: "--trust <tier>",
        summary: "of a skill that is trusted so far",
        choices: ["builtin", "org", "user", "third_party"],
      },
      { flags: "--network", summary: "which uses the network" },
      {
        flags: "--mounts <kind>",
        summary: "which gets files of this machine",
        choices: ["none", "read", "write"],
      },
      { flags: "--secrets", summary: "which gets the values of secrets" },
      { flags: "--unsandboxed", summary: "which runs without a sandbox, with both switches on" },
      ...libraryOptions,
    ],
    examples: ["policy explain", "policy explain pdf", "policy explain --trust third_party --network"],
    load: () => import("./command/policy-explain.ts"),
  },
  {
    name: "test",
    group: sandbox,
    summary: "try to break out of the sandbox, and say what held",
    arguments: [],
    options: [],
    examples: ["sandbox test", "sandbox test --json"],
    load: () => import("./command/sandbox-test.ts"),
  },
  {
    name: "set",
    group: secret,
    summary: "set a value, piped in or typed unseen",
    arguments: [idArgument, nameArgument],
    options: [{ flags: "--force", summary: "set it although no skill here asks for it" }, ...libraryOptions],
    examples: ["secret set weather API_KEY", "secret set weather API_KEY < key.txt"],
    load: () => import("./command/secret-set.ts"),
  },
  {
    name: "list",
    group: secret,
    summary: "list what is set, by name; no value is shown",
    arguments: [{ usage: "[id]", summary: "only those of this skill" }],
    options: [{ flags: "--agent <id>", summary: "only those of this agent" }],
    examples: ["secret list"],
    load: () => import("./command/secret-list.ts"),
  },
  {
    name: "remove",
    group: secret,
    summary: "forget a value",
    arguments: [idArgument, nameArgument],
    options: [{ flags: "--agent <id>", summary: "the value of this agent" }],
    examples: ["secret remove weather API_KEY"],
    load: () => import("./command/secret-remove.ts"),
  },
  {
    name: "list",
    group: approval,
    summary: "list what was approved and still holds",
    arguments: [],
    options: [],
    examples: ["approval list"],
    load: () => import("./command/approval-list.ts"),
  },
  {
    name: "revoke",
    group: approval,
    summary: "take approvals back",
    arguments: [{ usage: "[approval]", summary: "its id, as `approval list` prints it, or the start of it" }],
    options: [
      { flags: "--skill <id>", summary: "all of this skill" },
      { flags: "--all", summary: "all of them" },
    ],
    examples: ["approval revoke --skill pdf", "approval revoke --all"],
    load: () => import("./command/approval-revoke.ts"),
  },
];
