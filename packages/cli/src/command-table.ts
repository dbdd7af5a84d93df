import type { CommandSpec } from "./program.ts";

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
