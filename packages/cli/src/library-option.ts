import type { OptionSpec } from "./program.ts";
import { gatewayOptions } from "./remote-option.ts";
import { storeOption } from "./store-option.ts";

/** Which folders a command looks at. */
export const sourceOptions: readonly OptionSpec[] = [
  {
    flags: "--root <folder>",
    summary: "look at this folder only; may be repeated",
    repeats: true,
  },
  { flags: "--source <label>", summary: "use only the source of this label; may be repeated", repeats: true },
  {
    flags: "--precedence <order>",
    summary: "which source wins when two have a skill of the same id",
    choices: ["local", "trust"],
    default: "local",
  },
  storeOption,
  { flags: "--no-store", summary: "leave out your own store, and what it switches off" },
  { flags: "--no-mcp", summary: "leave out the skills of MCP servers" },
  { flags: "--trust-project", summary: "trust the project's skills as your own" },
  { flags: "--follow-links", summary: "follow links that lead out of a source" },
  { flags: "--no-cache", summary: "read every skill anew" },
];

/** For whom it looks. */
const viewerOptions: readonly OptionSpec[] = [
  {
    flags: "--runtime <name>",
    summary: "see what this agent runtime sees; by default the agent's own, or skillhold-cli",
  },
  { flags: "--agent <key>", summary: "see what this agent sees" },
  {
    flags: "--user <name>",
    summary: "see what this user sees; by default $SKILLHOLD_USER, or the name you are logged in as",
  },
  { flags: "--allow <ids>", summary: "limit the viewer to these ids, with commas between; empty for none" },
  {
    flags: "--as <invoker>",
    summary: "see what a model may start by itself, or a user by name",
    choices: ["model", "user"],
    default: "model",
  },
];

/** For commands that list skills. */
export const depsOption: OptionSpec = {
  flags: "--deps",
  summary: "check what each skill depends on, and say what is missing",
};

/** What every command over a library takes; `open.ts` reads it. */
export const libraryOptions: readonly OptionSpec[] = [...sourceOptions, ...viewerOptions];

/** The same for those that can look at a gateway instead. */
export const readingOptions: readonly OptionSpec[] = [...gatewayOptions, ...libraryOptions];
