import { libraryOptions } from "./library-option.ts";
import type { ArgumentSpec, CommandGroup } from "./overview.ts";
import type { CommandSpec } from "./program.ts";

const deps: CommandGroup = { name: "deps", summary: "see, check and install what skills depend on" };

const skillsArgument: ArgumentSpec = {
  usage: "[skills...]",
  summary: "folders that are or hold skills, or ids; without any, the skills that `list` prints",
};

/** The commands about what skills need of a machine. */
export const dependencyTable: readonly CommandSpec[] = [
  {
    name: "scan",
    group: deps,
    summary: "list what the code and the manifests of skills depend on, with the places",
    arguments: [skillsArgument],
    options: libraryOptions,
    examples: ["deps scan ./skills", "deps scan pdf docx --json"],
    load: () => import("./command/deps-scan.ts"),
  },
  {
    name: "check",
    group: deps,
    summary: "say what of it is there and what is missing; exits 3 when something needed is",
    arguments: [skillsArgument],
    options: libraryOptions,
    examples: ["deps check", "deps check ./skills/pdf --json"],
    load: () => import("./command/deps-check.ts"),
  },
  {
    name: "install",
    group: deps,
    summary: "install what a skill is missing, into an environment of its own",
    arguments: [
      { usage: "<id>", summary: "the skill's id, as `list` prints it" },
      { usage: "[specs...]", summary: "these instead: `npm:marked@1.2.3`, `pip:Pillow`, `apt:jq`" },
    ],
    options: [
      { flags: "--yes", summary: "approve it without a question" },
      { flags: "--dry-run", summary: "say what would be done, and do nothing" },
      { flags: "--global", summary: "into the environment that all skills share" },
      {
        flags: "--system",
        summary: "as an administrator: packages of the system, too; otherwise their command is printed",
      },
      ...libraryOptions,
    ],
    examples: ["deps install pdf", "deps install pdf npm:marked@15.0.0 --yes", "deps install pdf --dry-run"],
    load: () => import("./command/deps-install.ts"),
  },
  {
    name: "runtimes",
    summary: "list the machine's interpreters and package managers",
    arguments: [],
    options: [],
    examples: ["runtimes", "runtimes --json"],
    load: () => import("./command/runtimes.ts"),
  },
];
