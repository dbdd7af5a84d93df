import type { ArgumentSpec, OptionSpec } from "./command.ts";

export const idArgument = { usage: "<id>", summary: "the skill's id, as `list` prints it" } as const;
export const agentArgument = { usage: "<key>", summary: "the agent's key" } as const;
export const variableArgument = { usage: "<name>", summary: "the variable that the skill reads" } as const;
export const labelArgument = { usage: "<label>", summary: "the label of the source" } as const;
export const skillsArgument = {
  usage: "[skills...]",
  summary: "ids, or folders of skills; by default every skill that `list` prints",
} as const satisfies ArgumentSpec;
export const gatewayArgument = {
  usage: "[url]",
  summary: "the gateway's URL; by default $SKILLHOLD_GATEWAY, or the only one you are logged in to",
} as const satisfies ArgumentSpec;

export const dryRunOption = {
  flags: "--dry-run",
  summary: "show the result without making changes",
} as const satisfies OptionSpec;

export const storeOption = {
  flags: "--store <url>",
  summary:
    "use this store, sqlite:<file> or postgres://…; by default $SKILLHOLD_STORE, or the one in your data folder",
} as const satisfies OptionSpec;

const ACTING_USER = "act as this user; by default $SKILLHOLD_USER, or your account's name";

export function roleOption(summary: string) {
  const choices = ["publisher", "admin"] as const;
  return { flags: "--role <name>", summary, choices, default: "publisher" } as const satisfies OptionSpec;
}

/** The actor of commands that publish or change skills. */
export const actorOptions = [
  roleOption("act as this role; skills that an admin publishes get the org trust tier"),
  { flags: "--user <name>", summary: ACTING_USER },
] as const satisfies readonly OptionSpec[];

/** The actor of commands that read or change access. */
export const accessOptions = [
  roleOption("act as this role; an admin may do this for every skill"),
  { flags: "--user <name>", summary: ACTING_USER },
] as const satisfies readonly OptionSpec[];

/** The actor of commands where `--user` names the grantee. */
export const granterOptions = [
  roleOption("act as this role; an admin may do this for every skill"),
  { flags: "--by <name>", summary: ACTING_USER },
] as const satisfies readonly OptionSpec[];

/** The options of a command that changes grants. */
export const grantWriteOptions = [dryRunOption, ...granterOptions, storeOption] as const;

export const byOption = { flags: "--by <name>", summary: ACTING_USER } as const satisfies OptionSpec;

export const registryWriteOptions = [...actorOptions, storeOption] as const;
export const accessWriteOptions = [dryRunOption, ...accessOptions, storeOption] as const;

/** The fields of an agent's record. */
export const agentOptions = [
  { flags: "--name <text>", summary: "set the display name" },
  { flags: "--runtime <name>", summary: "set the agent's runtime; by default from its manifest" },
  {
    flags: "--allow <ids>",
    summary: "limit the agent to these skills, separated by commas; empty for no skill",
  },
  { flags: "--pin <skill@revision>", summary: "pin a skill to a revision; repeatable", repeats: true },
  { flags: "--manifest <file>", summary: "store this agent.yaml and apply its limits" },
] as const satisfies readonly OptionSpec[];

export const granteeOptions = [
  { flags: "--agent <key>", summary: "choose this agent as the grantee" },
  { flags: "--user <name>", summary: "choose this user as the grantee" },
] as const satisfies readonly OptionSpec[];

/** The sources in which a command finds one skill. */
export const placeOptions = [
  { flags: "--root <folder>", summary: "use only the skills of this folder; repeatable", repeats: true },
  { flags: "--source <label>", summary: "use only the source with this label; repeatable", repeats: true },
  storeOption,
  { flags: "--no-store", summary: "ignore your own store and its disabled skills" },
  { flags: "--no-mcp", summary: "ignore the skills of MCP servers" },
  { flags: "--trust-project", summary: "trust the project's skills like your own" },
  { flags: "--follow-links", summary: "follow links that leave a source" },
  { flags: "--strict", summary: "reject skills of folders that break the specification" },
  { flags: "--governed", summary: "use only reviewed content of folders; edits on disk become proposals" },
  { flags: "--no-cache", summary: "ignore the cache and read every skill again" },
] as const satisfies readonly OptionSpec[];

/** The sources that a command uses. */
export const sourceOptions = [
  ...placeOptions,
  {
    flags: "--precedence <order>",
    summary: "choose which source wins when two have a skill with the same id",
    choices: ["local", "trust"],
    default: "local",
  },
] as const satisfies readonly OptionSpec[];

/** The viewer whose skills a command shows. */
export const viewerOptions = [
  {
    flags: "--runtime <name>",
    summary: "see what this agent runtime sees; by default the agent's own, or skillhold-cli",
  },
  { flags: "--agent <key>", summary: "see what this agent sees" },
  {
    flags: "--user <name>",
    summary: "see what this user sees; by default $SKILLHOLD_USER, or your account's name",
  },
  {
    flags: "--allow <ids>",
    summary: "limit the viewer to these ids, separated by commas; empty for no skill",
  },
  {
    flags: "--as <invoker>",
    summary: "see what a model may start by itself, or what a user may start by name",
    choices: ["model", "user"],
    default: "model",
  },
] as const satisfies readonly OptionSpec[];

export const depsOption = {
  flags: "--deps",
  summary: "check the dependencies of each skill and list the missing ones",
} as const satisfies OptionSpec;

/** The options of every command over a library; `library-choice.ts` reads them. */
export const libraryOptions = [...sourceOptions, ...viewerOptions] as const;

/** The gateway of a command that only reads. $SKILLHOLD_GATEWAY applies only to commands with these options. */
export const gatewayOptions = [
  {
    flags: "--gateway <url>",
    summary: "use only the skills of this gateway; by default $SKILLHOLD_GATEWAY, if it is set",
  },
  {
    flags: "--no-gateway",
    summary: "use the skills of this machine and ignore $SKILLHOLD_GATEWAY",
    default: true,
  },
] as const satisfies readonly OptionSpec[];

export const targetOption = {
  flags: "--gateway <url>",
  summary: "publish to this gateway with your token instead of a store",
} as const satisfies OptionSpec;

export const readingOptions = [...gatewayOptions, ...libraryOptions] as const;

export const consentOption = {
  flags: "--yes-for-this-content",
  summary: "approve without asking, for 15 minutes or until the skill changes",
} as const satisfies OptionSpec;

export const olderThanOption = {
  flags: "--older-than <days>",
  summary: "the age to prune from, such as 90d",
} as const satisfies OptionSpec;

/** Permissions of a run beyond the sandbox's defaults. */
export const runGrantOptions = [
  consentOption,
  { flags: "--network", summary: "allow the hosts of the capability manifest" },
  {
    flags: "--network-host <host>",
    summary: "allow network access to this host only; repeatable",
    repeats: true,
  },
  {
    flags: "--mount <path[:target][:rw]>",
    summary: "mount this file or folder, below /mnt unless a target is named; repeatable",
    repeats: true,
  },
  {
    flags: "--unsandboxed",
    summary: "run without a sandbox; also needs SKILLHOLD_ALLOW_UNSANDBOXED=1",
  },
] as const satisfies readonly OptionSpec[];

/** The options of the MCP server beside those of its library. `mcp install` passes them on. */
export const mcpToolOptions = [
  { flags: "--off <tool>", summary: "do not offer this tool; repeatable", repeats: true },
  {
    flags: "--mount <path[:target][:rw]>",
    summary: "mount this file or folder for scripts, below /mnt unless a target is named; repeatable",
    repeats: true,
  },
  { flags: "--outputs <folder>", summary: "keep the files that scripts write here, in a folder per run" },
  {
    flags: "--outputs-days <count>",
    summary: "remove the folders of older runs from --outputs at the start",
  },
  {
    flags: "--publish-from <folder>",
    summary: "let the agent publish skills from below this folder to the store; repeatable",
    repeats: true,
  },
  { flags: "--locations", summary: "include the paths of skills, for an agent that reads files itself" },
  {
    flags: "--structured",
    summary: "return structured data as well as text; many clients then hide the text from the model",
  },
  { flags: "--no-watch", summary: "do not watch folders for changes; a restart finds them" },
] as const satisfies readonly OptionSpec[];

export const mcpServeOptions = [...mcpToolOptions, ...readingOptions] as const;
