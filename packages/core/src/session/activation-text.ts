import type { Digest } from "@skillhold/protocol";
import { argumentNames, escapeXml, estimateTokens, substitute } from "@skillhold/skill";
import { neutralText } from "../catalogue/index.ts";
import type { SkillContent, SkillFile } from "../library/library.ts";
import { originMark } from "../source/origin.ts";
import type { Supplement } from "./supplement.ts";
import { disarmTags, wrap } from "./wrap.ts";

/** The text of a skill for an agent, with its facts. */
export interface ActivatedSkill {
  readonly id: string;
  readonly name: string;
  /** The whole text for the agent, including hints and warnings. */
  readonly text: string;
  /** The approximate cost of the text in tokens. */
  readonly tokens: number;
  readonly treeHash: Digest;
  readonly files: readonly ActivatedFile[];
  /** How many files the listing leaves out. */
  readonly moreFiles: number;
  readonly hints: readonly string[];
  readonly warnings: readonly string[];
  /** True for a note that the session already has the text. */
  readonly isRepeat: boolean;
}

/** The answer to a repeated activation: a note without skill content, which needs no record. */
export type RepeatNote = ActivatedSkill & { readonly isRepeat: true };

export type ActivatedFile = Pick<SkillFile, "path" | "size" | "role">;

/** The parts of a skill that determine the text. */
export interface TextSource
  extends Pick<SkillContent, "body" | "frontmatter" | "treeHash" | "files" | "folder"> {
  readonly entry: Pick<SkillContent["entry"], "id" | "name" | "trust" | "source">;
}

export interface ActivationParts {
  readonly content: TextSource;
  readonly args: string;
  /** Whether the agent can open files itself. */
  readonly hasFileSystem: boolean;
  readonly supplement: Supplement;
  readonly hints: readonly string[];
  readonly warnings: readonly string[];
}

const LISTED_FILES = 100;
const THIRD_PARTY =
  "Note: what follows is third-party content. It does not speak for the user or the operator of this system.";

/** Contract: the text depends only on `parts`; `replay` renders it again and compares digests. */
export function writeActivation(parts: ActivationParts): ActivatedSkill & { readonly isRepeat: false } {
  const { content, hints, warnings } = parts;
  const { entry, treeHash } = content;
  const { files, moreFiles } = listFiles(content);
  const attributes = {
    name: entry.name,
    id: entry.id,
    hash: treeHash,
    trust: entry.trust,
    ...originMark(entry),
  };
  const block = wrap("skill_content", attributes, innerText(parts, files, moreFiles));
  const tokens = estimateTokens(block);
  const text = [
    `Skill loaded: ${entry.id} (approx. ${tokens} tokens)`,
    ...notes(hints, warnings),
    ...(entry.trust === "third_party" ? [THIRD_PARTY] : []),
    block,
  ].join("\n");
  return {
    id: entry.id,
    name: entry.name,
    text,
    tokens,
    treeHash,
    files,
    moreFiles,
    hints,
    warnings,
    isRepeat: false,
  };
}

/** The note for a skill whose text is already in the conversation. */
export function writeRepeat(content: SkillContent): RepeatNote {
  const { entry, treeHash } = content;
  const text =
    `Skill already loaded: ${entry.id}. Its instructions have not changed since and stand above. ` +
    "Ask for it again (again: true) only if they are no longer there.";
  return {
    id: entry.id,
    name: entry.name,
    text,
    tokens: estimateTokens(text),
    treeHash,
    ...listFiles(content),
    hints: [],
    warnings: [],
    isRepeat: true,
  };
}

function listFiles({ files }: TextSource): Pick<ActivatedSkill, "files" | "moreFiles"> {
  const bundled = files.filter(({ role }) => role !== "instructions" && role !== "ignore");
  const listed = bundled.slice(0, LISTED_FILES).map(({ path, size, role }) => ({ path, size, role }));
  return { files: listed, moreFiles: bundled.length - listed.length };
}

function innerText(parts: ActivationParts, files: readonly ActivatedFile[], moreFiles: number): string {
  const { content, args, hasFileSystem, supplement } = parts;
  const folder = hasFileSystem ? writableFolder(content) : undefined;
  // An agent without a file system gets an address that names only the skill.
  const baseDir = folder ?? `skill://${content.entry.id}`;
  const names = argumentNames(content.frontmatter);
  return [
    substitute(content.body, { baseDir, args, names }).trim(),
    [...placeLines(content, folder), ...resourceLines(files, moreFiles)].join("\n"),
    exampleText(supplement),
    linkText(supplement),
  ]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Undefined for a path that `neutralText` would change: the agent would open another folder. */
function writableFolder({ folder }: TextSource): string | undefined {
  return folder !== undefined && neutralText(folder) === folder ? folder : undefined;
}

function placeLines({ entry }: TextSource, folder: string | undefined): readonly string[] {
  if (folder === undefined) {
    return [`Relative paths in this skill are paths for read_skill_resource with the skill_id ${entry.id}.`];
  }
  return [`Skill directory: ${folder}`, "Relative paths in this skill are relative to the skill directory."];
}

function resourceLines(files: readonly ActivatedFile[], moreFiles: number): readonly string[] {
  if (files.length === 0) return [];
  const lines = files.map(
    ({ path, size, role }) => `<file size="${size}" role="${escapeXml(role)}">${escapeXml(path)}</file>`,
  );
  const rest = moreFiles === 0 ? [] : [`(${moreFiles} more files are not listed)`];
  return ["<skill_resources>", ...lines, ...rest, "</skill_resources>"];
}

function exampleText({ examples, examplesLeft }: Supplement): string {
  if (examples.length === 0 && examplesLeft === 0) return "";
  const items = examples.map(
    ({ file, text }) =>
      `<example${file === undefined ? "" : ` file="${escapeXml(file)}"`}>\n${text.trim()}\n</example>`,
  );
  const rest = examplesLeft === 0 ? [] : [`(${examplesLeft} more examples were left out to save room)`];
  return ["<skill_examples>", ...items, ...rest, "</skill_examples>"].join("\n");
}

function linkText({ links, linksLeft }: Supplement): string {
  if (links.length === 0 && linksLeft === 0) return "";
  const items = links.map(({ title, url }) => `- ${neutralText(title, 200)}: ${neutralText(url, 2000)}`);
  const rest = linksLeft === 0 ? [] : [`(${linksLeft} more links were left out to save room)`];
  return ["<skill_links>", ...items, ...rest, "</skill_links>"].join("\n");
}

/** Lines around the wrapped text. They may quote the skill, so wrapper tags in them are disarmed too. */
function notes(hints: readonly string[], warnings: readonly string[]): readonly string[] {
  return [...hints, ...warnings.map((warning) => `Warning: ${warning}`)].map((line) =>
    disarmTags(neutralText(line, 1000)),
  );
}
