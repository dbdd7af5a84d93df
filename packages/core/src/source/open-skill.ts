import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { defaultLimits, type Limits } from "@skillhold/protocol/limits";
import {
  checkSkillFileName,
  type Finding,
  findSkillFiles,
  isSkillFile,
  isToolFile,
  type ParsedSkill,
  parseSkill,
  type RuleCode,
  SKILL_FILE,
  type Subject,
  synthesizeSkillText,
} from "@skillhold/skill";
import { type FileProblem, type ReadOptions, readBounded, tryStat } from "../bundle/index.ts";

/** A skill in a folder. Every path gives one; problems are in the findings. */
export interface OpenedSkill {
  /** Absolute path of the skill's folder. */
  readonly folder: string;
  /** Absolute path of its SKILL.md; undefined without a SKILL.md. */
  readonly file: string | undefined;
  readonly skill: ParsedSkill;
  readonly subject: Subject;
  /** The bytes of SKILL.md; empty when it could not be read. */
  readonly bytes: Uint8Array;
  readonly stamp: FileStamp;
}

/** The stats of a file. While they are unchanged, so is the content. */
export interface FileStamp {
  readonly mtimeMs: number;
  /** Changes with every edit, even if mtime is set back. */
  readonly ctimeMs: number;
  readonly size: number;
  readonly ino: number;
}

/** Stands for SKILL.md where a skill has only tools. */
export const TOOLS_FOLDER = "tools";

const NO_BYTES = new Uint8Array();
const NO_STAMP: FileStamp = { mtimeMs: 0, ctimeMs: 0, size: -1, ino: 0 };

const codes: Readonly<Record<FileProblem["reason"], RuleCode>> = {
  missing: "SKILL_FILE_MISSING",
  "not-a-file": "SKILL_FILE_NOT_FILE",
  "too-large": "SKILL_FILE_TOO_LARGE",
  link: "SKILL_FILE_LINK",
  unreadable: "SKILL_FILE_UNREADABLE",
};

/** Opens the skill in a folder, or the skill of a SKILL.md path. Never throws for disk content. */
export function openSkill(path: string, limits: Limits = defaultLimits): OpenedSkill {
  const folder = isSkillFile(basename(path)) && !isFolder(path) ? dirname(resolve(path)) : resolve(path);
  const names = listNames(folder);
  if ("code" in names) return broken(folder, undefined, names);
  const [name, ...unread] = findSkillFiles(names);
  if (name === undefined) return openTools(folder);
  return withUnread(openSkillFile(folder, name, limits), unread);
}

/** Adds a finding for other spellings of SKILL.md in the same folder. */
export function withUnread(opened: OpenedSkill, unread: readonly string[] = []): OpenedSkill {
  if (unread.length === 0) return opened;
  const findings = checkSkillFileName(basename(opened.file ?? SKILL_FILE), unread);
  return { ...opened, subject: { ...opened.subject, findings } };
}

/** Opens a skill by its file name, without listing the folder. */
export function openSkillFile(
  folder: string,
  name: string,
  limits: Limits = defaultLimits,
  options: ReadOptions = { allowHardLinks: true },
): OpenedSkill {
  const file = `${folder}${sep}${name}`;
  const read = readBounded(file, limits.skillFileBytes, options);
  if ("problem" in read)
    return broken(folder, file, finding(codes[read.problem.reason], `${name}: ${read.problem.message}`));
  return {
    folder,
    file,
    skill: parseSkill(read.bytes, limits),
    subject: { folder: basename(folder), findings: checkSkillFileName(name) },
    bytes: read.bytes,
    stamp: read,
  };
}

function isFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() ?? false;
}

/** The names in a folder, or a finding when it cannot be listed. */
function listNames(folder: string): readonly string[] | Finding {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return finding("FOLDER_MISSING", `The path ${folder} does not exist.`);
    if (code === "ENOTDIR") return finding("NOT_A_FOLDER", `The path ${folder} is not a folder.`);
    return finding("SKILL_FILE_UNREADABLE", `The folder ${folder} cannot be read (${String(code)}).`);
  }
}

/** The instructions of a folder with tools and no SKILL.md; undefined without tools. */
export function readToolsText(folder: string): Uint8Array | undefined {
  const names = listNames(join(folder, TOOLS_FOLDER));
  const tools = "code" in names ? [] : names.map((name) => `${TOOLS_FOLDER}/${name}`).filter(isToolFile);
  if (tools.length === 0) return undefined;
  return new TextEncoder().encode(synthesizeSkillText(basename(folder), tools.toSorted()));
}

/** A folder with tools and without instructions is also a skill. */
export function openTools(folder: string): OpenedSkill {
  // Taken before the listing, so that the next scan notices a tool that is added meanwhile.
  const stamp = tryStat(join(folder, TOOLS_FOLDER)) ?? NO_STAMP;
  const bytes = readToolsText(folder);
  if (bytes === undefined)
    return broken(folder, undefined, finding("SKILL_FILE_MISSING", "The folder has no SKILL.md."));
  const note = finding(
    "TOOLS_ONLY",
    "The folder has tools and no SKILL.md; its name and description are generated.",
  );
  return {
    folder,
    file: undefined,
    skill: parseSkill(bytes),
    subject: { folder: basename(folder), findings: [note] },
    bytes,
    stamp,
  };
}

/** Without text, findings of the parser would be noise. */
function broken(folder: string, file: string | undefined, found: Finding): OpenedSkill {
  const skill = { ...parseSkill(""), findings: [] };
  return {
    folder,
    file,
    skill,
    subject: { folder: basename(folder), findings: [found] },
    bytes: NO_BYTES,
    stamp: NO_STAMP,
  };
}

function finding(code: RuleCode, message: string): Finding {
  return { code, line: 1, column: 1, message };
}
