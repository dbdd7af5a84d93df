import type { OptionSpec } from "../../command.ts";
import { actorOptions, storeOption } from "../../shared-option.ts";

export const yesOption = { flags: "--yes", summary: "install without asking" } as const satisfies OptionSpec;

export const targetOptions = [
  {
    flags: "--target <place>",
    summary: "the store, .agents/skills of the project, or that of your home folder",
    choices: ["store", "project", "global"],
    default: "store",
  },
  {
    flags: "--agent <name>",
    summary: "lay it out for this agent, such as claude-code; may be repeated",
    repeats: true,
  },
  { flags: "--project <folder>", summary: "the project's folder", default: "." },
  ...actorOptions,
  storeOption,
] as const satisfies readonly OptionSpec[];

export const copyOption = {
  flags: "--copy",
  summary: "give each agent a copy instead of a link",
} as const satisfies OptionSpec;

export const remoteSourceOptions = [
  {
    flags: "--use-git-credentials",
    summary: "let git use your own configuration, credential helper and ssh agent",
  },
  { flags: "--registry <url>", summary: "the ClawHub registry; by default $CLAWHUB_REGISTRY or clawhub.ai" },
  {
    flags: "--npm-registry <url>",
    summary: "the npm registry; by default $npm_config_registry or that of npm",
  },
] as const satisfies readonly OptionSpec[];

export const ageOptions = [
  {
    flags: "--min-age <days>",
    summary: "wait until a release is this old, unless a trusted key signed it",
    default: "3",
  },
  { flags: "--now", summary: "take releases that are younger, too" },
] as const satisfies readonly OptionSpec[];
