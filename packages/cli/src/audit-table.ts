import { libraryOptions } from "./library-option.ts";
import type { CommandGroup } from "./overview.ts";
import type { CommandSpec } from "./program.ts";
import { storeOption } from "./store-option.ts";

const audit: CommandGroup = { name: "audit", summary: "read and verify the record of what was done" };

/** The commands over the record of what was done. */
export const auditTable: readonly CommandSpec[] = [
  {
    name: "verify",
    group: audit,
    summary: "verify that nothing of the record was changed, cut off or put back",
    arguments: [],
    options: [
      { flags: "--key <file>", summary: "believe signatures of this public key, too", repeats: true },
      {
        flags: "--checkpoints <file>",
        summary: "compare with the notes in this file, too; may be repeated",
        repeats: true,
      },
      storeOption,
    ],
    examples: ["audit verify", "audit verify --key colleague.pub --store postgres://localhost/skills"],
    load: () => import("./command/audit-verify.ts"),
  },
  {
    name: "tail",
    group: audit,
    summary: "print the last entries of the record",
    arguments: [],
    options: [
      { flags: "--lines <count>", summary: "how many", default: "20" },
      { flags: "--follow", summary: "go on with what is recorded from now on" },
      { flags: "--after <number>", summary: "all after the entry of this number" },
      { flags: "--session <id>", summary: "only of this session" },
      { flags: "--skill <id>", summary: "only about this skill" },
      { flags: "--type <name>", summary: "only of this type" },
      storeOption,
    ],
    examples: ["audit tail", "audit tail --follow", "audit tail --skill pdf --type skill.activated"],
    load: () => import("./command/audit-tail.ts"),
  },
  {
    name: "export",
    group: audit,
    summary: "write the record as lines of JSON, with its signed note at the end",
    arguments: [],
    options: [
      { flags: "--out <file>", summary: "write to this file; by default to standard output" },
      { flags: "--after <number>", summary: "only what comes after the entry of this number" },
      storeOption,
    ],
    examples: ["audit export --out audit.jsonl", "audit export --after 1000"],
    load: () => import("./command/audit-export.ts"),
  },
  {
    name: "replay",
    summary: "tell what an agent saw and ran in a session",
    arguments: [
      { usage: "<session>", summary: "its id, as `audit tail --type session.opened` prints it" },
      { usage: "[step]", summary: "print what was handed over in this step, to the byte" },
    ],
    options: libraryOptions,
    examples: ["replay 7b0c1a52-…", "replay 7b0c1a52-… 1"],
    load: () => import("./command/replay.ts"),
  },
];
