import { combineDigests, hashSkillFile, MemoryTree, normalizeRelative } from "@skillhold/core/bundle";
import { surveyBundle } from "@skillhold/core/source";
import type { Diagnostic, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import {
  authorVersion,
  checkSkillFileName,
  comparePaths,
  type Finding,
  fieldPosition,
  isSkillId,
  isToolFile,
  judge,
  type ParsedSkill,
  parseSkill,
  publishId,
  type RuleCode,
  SKILL_FILE,
  type Subject,
  synthesizeSkillText,
  textOf,
  validateSkill,
} from "@skillhold/skill";
import type { StagedFile, StagedSkill } from "../record/staged-skill.ts";
import { type ReadBundle, type ReadBundleOptions, readBundle } from "./read-bundle.ts";
import { describeSkill, findSkillFile } from "./skill-file.ts";

export interface StageOptions extends ReadBundleOptions {
  /** The id to publish under; by default derived from SKILL.md. */
  readonly id?: string | undefined;
}

/**
 * Reads a skill from a folder of the disk or of a tree in memory. Every byte is read once, and hashes, diagnostics and stored content all refer
 * to these bytes. Throws SKILL_INVALID with the diagnostics if the `publish` profile rejects the skill.
 */
export async function stageFolder(
  folder: string,
  options: StageOptions,
  limits: Limits,
): Promise<StagedSkill> {
  const read = await readBundle(folder, options, limits);
  const { bundle } = read;
  const generated = generateSkillFile(read.files, options.id);
  const files = withFile(read.files, generated);
  const file = getSkillFile(files, limits);
  const skill = parseSkill(file.content, limits);
  const notes = generated === undefined ? [] : [TOOLS_ONLY];
  const diagnostics = check(skill, file, { bundle, files }, { id: options.id, notes }, limits);
  const id = chooseId(skill, options.id);
  const paths = files.map(({ path }) => path);
  return {
    id,
    skill,
    record: describeSkill(id, skill, file.content, paths, limits),
    treeHash: combineDigests(files),
    skillHash: file.digest,
    files,
    bytes: bundle.bytes + (generated?.size ?? 0),
    omitted: bundle.omitted,
    diagnostics,
  };
}

/** Checks files as a skill, exactly as a folder with these files. */
export async function stageFiles(
  files: Iterable<NewFile>,
  options: Pick<StageOptions, "id" | "signal">,
  limits: Limits,
): Promise<StagedSkill> {
  const tree = treeOfFiles(files, limits);
  return await stageFolder(tree.root, { ...options, tree }, limits);
}

/** A file from elsewhere. Its path is not checked yet. */
export interface NewFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable?: boolean;
}

/** Rejects paths that leave the tree, that appear twice, or that are a file and a folder. */
export function treeOfFiles(files: Iterable<NewFile>, limits: Limits): MemoryTree {
  const tree = new MemoryTree();
  for (const { path, content, executable } of files)
    tree.add(normalizeRelative(path, limits), content, executable);
  return tree;
}

/** The SKILL.md of a folder with only tools; undefined if it has one, or if the publisher names no id. */
function generateSkillFile(files: readonly StagedFile[], id: string | undefined): StagedFile | undefined {
  if (id === undefined || findSkillFile(files) !== undefined) return undefined;
  const tools = files.map(({ path }) => path).filter(isToolFile);
  if (tools.length === 0) return undefined;
  const content = new TextEncoder().encode(synthesizeSkillText(id, tools.toSorted()));
  const digest = hashSkillFile(content);
  return { path: normalizeRelative(SKILL_FILE), size: content.length, executable: false, digest, content };
}

function withFile(files: readonly StagedFile[], added: StagedFile | undefined): readonly StagedFile[] {
  if (added === undefined) return files;
  return [...files, added].sort((a, b) => comparePaths(a.path, b.path));
}

/** The error for a skill with invalid content. */
export function invalidSkill(diagnostics: readonly Diagnostic[]): SkillError {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const more = errors.length > 1 ? ` There are ${errors.length - 1} more errors.` : "";
  return new SkillError("SKILL_INVALID", `The skill is invalid: ${errors[0]?.message ?? ""}${more}`, {
    details: { diagnostics },
  });
}

function getSkillFile(files: readonly StagedFile[], { skillFileBytes }: Limits): StagedFile {
  const file = findSkillFile(files);
  if (file === undefined && files.some(({ path }) => isToolFile(path)))
    throw refuse(
      "SKILL_FILE_MISSING",
      "The folder has tools and no SKILL.md.",
      "Add a SKILL.md that says when and how to use the tools, or publish the folder with --id.",
    );
  if (file === undefined) throw refuse("SKILL_FILE_MISSING", "The folder has no SKILL.md.");
  if (file.size > skillFileBytes)
    throw refuse("SKILL_FILE_TOO_LARGE", `SKILL.md is larger than ${skillFileBytes} bytes.`);
  return file;
}

function refuse(code: RuleCode, message: string, fix?: string): SkillError {
  const finding = { ...at(code, message), ...(fix === undefined ? {} : { fix }) };
  return invalidSkill(judge([finding], "publish").diagnostics);
}

function at(code: RuleCode, message: string): Finding {
  return { code, line: 1, column: 1, message };
}

const TOOLS_ONLY = at(
  "TOOLS_ONLY",
  "The folder has tools and no SKILL.md; its name and description are generated.",
);

/** The diagnostics of the `publish` profile; throws if one is an error. */
function check(
  skill: ParsedSkill,
  file: StagedFile,
  { bundle, files: staged }: ReadBundle,
  { id, notes }: { readonly id: string | undefined; readonly notes: readonly Finding[] },
  limits: Limits,
): readonly Diagnostic[] {
  const contents = new Map<string, Uint8Array>(staged.map(({ path, content }) => [path, content]));
  const textOf = ({ path }: { readonly path: string }) => new TextDecoder().decode(contents.get(path));
  const { findings = [], files = [] } = surveyBundle({}, bundle, textOf);
  const subject: Subject = {
    ...(id === undefined ? {} : { id }),
    findings: [...findings, ...checkSkillFileName(file.path), ...notes],
    files: [...files.filter(({ path }) => path !== file.path), { path: "SKILL.md", size: file.size }],
  };
  const { diagnostics } = validateSkill(skill, subject, "publish", limits);
  // A missing id is a question for the publisher, not a fault of the skill.
  const isFault = ({ severity, code }: Diagnostic) => severity === "error" && code !== "ID_UNDERIVABLE";
  if (diagnostics.some(isFault)) throw invalidSkill(diagnostics);
  rejectVersion(skill);
  return diagnostics;
}

/** The version has its own column, and the stores cannot keep NUL or lone surrogates. */
function rejectVersion(skill: ParsedSkill): void {
  const version = authorVersion(skill) ?? "";
  if (!version.includes("\0") && version.isWellFormed()) return;
  const field = skill.frontmatter["version"] === undefined ? "metadata" : "version";
  const message = "The version contains a NUL or a lone surrogate.";
  const fix = "Write the version as three numbers, such as 1.0.0.";
  const position = fieldPosition(skill, field);
  throw invalidSkill([{ code: "VERSION_NOT_SEMVER", severity: "error", ...position, message, fix }]);
}

/** Skills are also found by UUID, so an id of that form could stand for another skill. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function chooseId(skill: ParsedSkill, chosen: string | undefined): SkillId {
  if (chosen !== undefined && !isSkillId(chosen))
    throw new SkillError("USAGE", `${JSON.stringify(chosen.slice(0, 80))} is not a valid id.`, {
      hint: ID_HINT,
    });
  const id = publishId(skill.frontmatter, chosen);
  if (id === undefined) throw underivable(textOf(skill.frontmatter["slug"]));
  if (UUID.test(id)) throw new SkillError("USAGE", `The id ${id} is a UUID.`, { hint: ID_HINT });
  // `publishId` returns only valid ids.
  return id as SkillId;
}

/** A slug is used as is; only a name is converted to an id. */
function underivable(slug: string | undefined): SkillError {
  if (slug === undefined)
    return new SkillError("USAGE", "The skill name cannot be converted to an id.", {
      hint: `Publish with --id <id>, or add \`slug:\` to SKILL.md. ${ID_HINT}`,
    });
  return new SkillError("USAGE", `The slug ${JSON.stringify(slug.slice(0, 80))} is not a valid id.`, {
    hint: `Correct or remove \`slug:\` in SKILL.md, or publish with --id <id>. ${ID_HINT}`,
  });
}

const ID_HINT = "An id consists of words of a-z and 0-9 joined by single hyphens, up to 64 characters.";
