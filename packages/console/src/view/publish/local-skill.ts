import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import {
  compileIgnoreRules,
  type Finding,
  findSkillFiles,
  IGNORE_FILES,
  isJunk,
  isOmitted,
  isSkillFile,
  judge,
  parseSkill,
  publishId,
  validateSkill,
} from "@skillhold/skill";
import type { ListedFile, Listing } from "./listing.ts";

/** A skill as the browser found it, before the gateway has seen it. */
export interface LocalSkill {
  /** Its folder, `.` for the top. */
  readonly path: string;
  readonly id: string | undefined;
  readonly files: number;
  readonly bytes: number;
  readonly isValid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** The lines of its SKILL.md, to show those that something is said of. */
  readonly lines: readonly string[];
}

/** Finds the skills and checks each, with the parser and the rules of the gateway. */
export function checkSkills(
  { files }: Listing,
  limits: Readonly<Record<string, number>>,
): readonly LocalSkill[] {
  const folders = skillFolders(files);
  return [...folders].map(([path, file]) => checkOne(path, file, filesOf(path, files, folders), limits));
}

/** Folders with a SKILL.md, whose names and those above do not begin with `_`. */
function skillFolders(files: readonly ListedFile[]): ReadonlyMap<string, ListedFile> {
  const folders = new Map<string, ListedFile>();
  for (const file of files) {
    const folder = parentOf(file.path);
    const isHidden = folder.split("/").some((name) => name.startsWith("_") || isJunk(name));
    const name = file.path.slice(file.path.lastIndexOf("/") + 1);
    if (!isSkillFile(name) || isHidden) continue;
    const other = folders.get(folder)?.path.slice(-name.length);
    if (other === undefined || findSkillFiles([name, other])[0] === name) folders.set(folder, file);
  }
  return new Map([...folders].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

/** The files below a folder, without those of nested skills. */
function filesOf(
  folder: string,
  files: readonly ListedFile[],
  folders: ReadonlyMap<string, ListedFile>,
): readonly ListedFile[] {
  const prefix = folder === "." ? "" : `${folder}/`;
  const nested = [...folders.keys()].filter((each) => each !== folder && `${each}/`.startsWith(prefix));
  return files.filter(
    ({ path }) => path.startsWith(prefix) && !nested.some((each) => path.startsWith(`${each}/`)),
  );
}

function checkOne(
  path: string,
  file: ListedFile,
  listed: readonly ListedFile[],
  limits: Readonly<Record<string, number>>,
): LocalSkill {
  const all = { ...defaultLimits, ...limits };
  const { files, findings } = withoutIgnored(path, listed);
  const bytes = files.reduce((sum, each) => sum + each.size, 0);
  const known = { path, files: files.length, bytes };
  if (file.content === undefined) {
    const message = `SKILL.md is ${file.size} bytes long; the limit is ${all.skillFileBytes} bytes.`;
    const tooLarge = { code: "SKILL_FILE_TOO_LARGE", line: 1, column: 1, message } as const;
    const { diagnostics } = judge([tooLarge], "publish");
    return { ...known, id: undefined, isValid: false, diagnostics, lines: [] };
  }
  const skill = parseSkill(file.content, all);
  const subject = {
    findings,
    files: files.map((each) => ({
      path: each.path === file.path ? "SKILL.md" : relativeTo(path, each.path),
      size: each.size,
    })),
  };
  const { valid, diagnostics } = validateSkill(skill, subject, "publish", all);
  const lines = skill.text.split(/\r\n|\r|\n/);
  return { ...known, id: publishId(skill.frontmatter), isValid: valid, diagnostics, lines };
}

interface Kept {
  readonly files: readonly ListedFile[];
  readonly findings: readonly Finding[];
}

/** Applies the ignore files at the skill's root, as the packer of the gateway does. */
function withoutIgnored(folder: string, files: readonly ListedFile[]): Kept {
  const texts = IGNORE_FILES.flatMap((name) => {
    const file = files.find(({ path }) => relativeTo(folder, path) === name);
    return file?.content === undefined ? [] : [{ name, text: new TextDecoder().decode(file.content) }];
  });
  try {
    const rules = compileIgnoreRules(texts);
    return { files: files.filter(({ path }) => !isOmitted(relativeTo(folder, path), rules)), findings: [] };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const finding = { code: "BUNDLE_TOO_LARGE", line: 1, column: 1, message: error.message } as const;
    return { files, findings: [finding] };
  }
}

function relativeTo(folder: string, path: string): string {
  return folder === "." ? path : path.slice(folder.length + 1);
}
