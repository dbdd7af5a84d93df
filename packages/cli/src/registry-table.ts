import type { ArgumentSpec } from "./overview.ts";
import type { CommandSpec, OptionSpec } from "./program.ts";
import { targetOption } from "./remote-option.ts";
import { actorOptions, askerOptions, storeOption } from "./store-option.ts";

const idArgument: ArgumentSpec = { usage: "<id>", summary: "the skill's id, as `list` prints it" };
const dryRunOption: OptionSpec = { flags: "--dry-run", summary: "say what would happen, and change nothing" };
const writeOptions: readonly OptionSpec[] = [...actorOptions, storeOption];

/** The commands of the way on which skills are released. */
export const registryTable: readonly CommandSpec[] = [
  {
    name: "init",
    summary: "write a new skill to start from",
    arguments: [{ usage: "<name>", summary: "its id, and the name of its folder" }],
    options: [
      { flags: "--in <folder>", summary: "make the skill's folder in this one", default: "." },
      { flags: "--description <text>", summary: "what it does and when to use it" },
      {
        flags: "--template <name>",
        summary: "what to start with",
        choices: ["basic", "script", "reference"],
        default: "basic",
      },
    ],
    examples: ["init my-skill", "init report-writer --template script --in .agents/skills"],
    load: () => import("./command/init.ts"),
  },
  {
    name: "pack",
    summary: "write a skill as an archive",
    arguments: [{ usage: "<path>", summary: "the skill's folder" }],
    options: [
      { flags: "--out <file>", summary: "the archive to write; by default `<id>.zip` here" },
      { flags: "--format <name>", summary: "the kind of archive", choices: ["zip", "tar.gz"] },
      { flags: "--id <id>", summary: "the id, where SKILL.md has none that serves" },
      dryRunOption,
    ],
    examples: ["pack my-skill", "pack my-skill --out release/my-skill.tar.gz"],
    load: () => import("./command/pack.ts"),
  },
  {
    name: "publish",
    summary: "take skills into the store, each as a new revision",
    arguments: [{ usage: "<paths...>", summary: "folders of skills, or ZIP and tar.gz archives" }],
    options: [
      { flags: "--id <id>", summary: "publish under this id; for one skill only" },
      dryRunOption,
      targetOption,
      ...writeOptions,
    ],
    examples: ["publish my-skill", "publish skills.zip --dry-run", "publish . --store sqlite:team.db"],
    load: () => import("./command/publish.ts"),
  },
  {
    name: "versions",
    summary: "list the revisions of a skill, or show one",
    arguments: [idArgument, { usage: "[revision]", summary: "show this revision and its files" }],
    options: [
      { flags: "--file <path>", summary: "print this file of the revision" },
      ...askerOptions,
      storeOption,
    ],
    examples: ["versions pdf", "versions pdf 2", "versions pdf 2 --file SKILL.md"],
    load: () => import("./command/versions.ts"),
  },
  {
    name: "diff",
    summary: "show what changed between revisions",
    arguments: [
      idArgument,
      { usage: "[from]", summary: "a revision; by default the one before the current one" },
      { usage: "[to]", summary: "a revision; by default the current one" },
    ],
    options: [
      { flags: "--folder <path>", summary: "compare with this folder in place of a revision" },
      ...askerOptions,
      storeOption,
    ],
    examples: ["diff pdf", "diff pdf 1 3", "diff pdf --folder ./pdf"],
    load: () => import("./command/diff.ts"),
  },
  {
    name: "rollback",
    summary: "let an earlier revision count again",
    arguments: [idArgument, { usage: "<rev>", summary: "as `versions` lists it" }],
    options: [dryRunOption, ...writeOptions],
    examples: ["rollback pdf 2"],
    load: () => import("./command/rollback.ts"),
  },
  {
    name: "edit",
    summary: "change what is shown of a skill",
    arguments: [idArgument],
    options: [
      { flags: "--name <text>", summary: "the name to show" },
      { flags: "--description <text>", summary: "the description to show" },
      { flags: "--tags <list>", summary: "the tags to show, with commas between" },
      { flags: "--visibility <who>", summary: "who may see it", choices: ["private", "internal", "public"] },
      { flags: "--reset", summary: "show what SKILL.md says again" },
      dryRunOption,
      ...writeOptions,
    ],
    examples: [`edit pdf --description "Read and fill PDF forms."`, "edit pdf --reset"],
    load: () => import("./command/edit.ts"),
  },
  {
    name: "delete",
    summary: "take a skill away; `restore` brings it back",
    arguments: [idArgument],
    options: [dryRunOption, ...writeOptions],
    examples: ["delete old-skill"],
    load: () => import("./command/delete.ts"),
  },
  {
    name: "restore",
    summary: "bring a deleted skill back",
    arguments: [idArgument],
    options: [dryRunOption, ...writeOptions],
    examples: ["restore old-skill"],
    load: () => import("./command/restore.ts"),
  },
  {
    name: "purge",
    summary: "give up deleted skills and old revisions for good",
    arguments: [{ usage: "[id]", summary: "of this skill only" }],
    options: [
      { flags: "--keep <count>", summary: "keep this many revisions of each skill, and purge older ones" },
      { flags: "--grace-days <count>", summary: "spare what was deleted or replaced since", default: "30" },
      dryRunOption,
      ...writeOptions,
    ],
    examples: ["purge --dry-run", "purge old-skill --grace-days 0"],
    load: () => import("./command/purge.ts"),
  },
  {
    name: "export",
    summary: "write skills to an archive or a folder",
    arguments: [{ usage: "[ids...]", summary: "the skills to export" }],
    options: [
      { flags: "--all", summary: "export every skill that you may use and that is not deleted" },
      { flags: "--out <path>", summary: "the archive or folder to write" },
      {
        flags: "--format <name>",
        summary: "what to write; by default from the ending of --out",
        choices: ["zip", "tar.gz", "folder", "clawhub"],
      },
      { flags: "--lock <file>", summary: "with --format folder, the skills-lock.json to keep up to date" },
      dryRunOption,
      ...askerOptions,
      storeOption,
    ],
    examples: ["export --all --out skills.zip", "export pdf docx --out .agents/skills --format folder"],
    load: () => import("./command/export.ts"),
  },
  {
    name: "import",
    summary: "take in what `export` wrote",
    arguments: [{ usage: "<file>", summary: "the archive" }],
    options: [dryRunOption, ...writeOptions],
    examples: ["import skills.zip", "import skills.zip --store postgres://localhost/skills"],
    load: () => import("./command/import.ts"),
  },
  {
    name: "seed",
    summary: "take skills in as public system skills",
    arguments: [{ usage: "[folder]", summary: "by default the skills that come with Skillhold" }],
    options: [{ flags: "--watch", summary: "go on, and take in each change" }, storeOption],
    examples: ["seed", "seed ./our-skills --watch"],
    load: () => import("./command/seed.ts"),
  },
  {
    name: "fsck",
    summary: "verify every byte, row and link of the store",
    arguments: [],
    options: [{ flags: "--repair", summary: "repair what can be repaired" }, storeOption],
    examples: ["fsck", "fsck --repair --json"],
    load: () => import("./command/fsck.ts"),
  },
];
