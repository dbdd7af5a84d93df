import type { Diagnostic, Digest, Requirements, SkillEntry, SkillType } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import {
  authorVersion,
  estimateTokens,
  type FrontmatterMap,
  isMap,
  type Profile,
  readOpenclaw,
  readRuntime,
  scalarText,
  splitAllowedTools,
  textList,
  textOf,
  validateSkill,
} from "@skillhold/skill";
import { hashSkillFile } from "../bundle/index.ts";
import type { OpenedSkill } from "./open-skill.ts";

/** The indexed facts of a skill: those of its SKILL.md, without location and host. */
export interface SkillRecord {
  readonly name: string;
  readonly description: string;
  readonly skillHash: Digest;
  readonly type: SkillType;
  readonly isValid: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly bodyTokens: number;
  readonly runtime: readonly string[];
  readonly tags: readonly string[];
  readonly requires: Requirements;
  readonly requiresSkills: readonly string[];
  readonly os: readonly string[];
  readonly invocation: SkillEntry["invocation"];
  readonly metadata: FrontmatterMap;
  readonly version?: string;
  readonly author?: string;
  readonly emoji?: string;
  readonly homepage?: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly allowedTools?: readonly string[];
  readonly argumentHint?: string;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** The most common values, which facts leave out and all skills share. */
export const usual = Object.freeze({
  type: "context",
  diagnostics: NOTHING,
  runtime: Object.freeze(["*"]),
  tags: NOTHING,
  requires: Object.freeze({ env: NOTHING, bins: NOTHING, anyBins: NOTHING, config: NOTHING }),
  requiresSkills: NOTHING,
  os: NOTHING,
  invocation: Object.freeze({ model: true, user: true }),
  metadata: Object.freeze(Object.create(null)) as FrontmatterMap,
}) satisfies Partial<SkillRecord>;

/**
 * A record without usual values. A list, because a library makes entries of all its records at once, and objects with
 * different fields are slow to read.
 */
export type RecordFacts = readonly [
  name: string,
  description: string,
  skillHash: Digest,
  bodyTokens: number,
  others?: OtherFacts,
  os?: readonly string[],
];

type OtherFacts = Partial<
  Omit<SkillRecord, "name" | "description" | "skillHash" | "bodyTokens" | "os" | "isValid">
>;

/** The facts of a record. Contract: equal records give equal JSON. */
export function factsOf(record: SkillRecord): RecordFacts {
  const { name, description, skillHash, bodyTokens, os } = record;
  const others: { -readonly [Field in keyof OtherFacts]: OtherFacts[Field] } = {};
  if (record.type !== usual.type) others.type = record.type;
  if (record.diagnostics.length > 0) others.diagnostics = record.diagnostics;
  if (record.runtime.length !== 1 || record.runtime[0] !== "*") others.runtime = record.runtime;
  if (record.tags.length > 0) others.tags = record.tags;
  if (!isEmpty(record.requires)) others.requires = record.requires;
  if (record.requiresSkills.length > 0) others.requiresSkills = record.requiresSkills;
  if (!record.invocation.model || !record.invocation.user) others.invocation = record.invocation;
  if (Object.keys(record.metadata).length > 0) others.metadata = record.metadata;
  if (record.version !== undefined) others.version = record.version;
  if (record.author !== undefined) others.author = record.author;
  if (record.emoji !== undefined) others.emoji = record.emoji;
  if (record.homepage !== undefined) others.homepage = record.homepage;
  if (record.license !== undefined) others.license = record.license;
  if (record.compatibility !== undefined) others.compatibility = record.compatibility;
  if (record.allowedTools !== undefined) others.allowedTools = record.allowedTools;
  if (record.argumentHint !== undefined) others.argumentHint = record.argumentHint;
  if (os.length > 0) return [name, description, skillHash, bodyTokens, others, os];
  for (const _ in others) return [name, description, skillHash, bodyTokens, others];
  return [name, description, skillHash, bodyTokens];
}

function isEmpty({ env, bins, anyBins, config }: Requirements): boolean {
  return env.length + bins.length + anyBins.length + config.length === 0;
}

/** Facts as JSON in ASCII, which engines parse in half the time of other text. */
export function writeFacts(facts: RecordFacts): string {
  const text = JSON.stringify(facts);
  return OTHERS.test(text) ? text.replaceAll(EACH_OTHER, escapeUnit) : text;
}

const OTHERS = /[\u0080-\uFFFF]/;
const EACH_OTHER = /[\u0080-\uFFFF]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A skill whose SKILL.md was read, from any place. */
export type ReadSkill = Pick<OpenedSkill, "skill" | "subject" | "bytes">;

/** Reads the fields for the catalogue; the instructions are not kept. */
export function recordSkill(
  opened: ReadSkill,
  type: SkillType,
  limits: Limits,
  profile: Profile = "lenient",
): SkillRecord {
  const { skill, subject, bytes } = opened;
  const { frontmatter } = skill;
  const { valid, diagnostics } = validateSkill(skill, subject, profile, limits);
  const openclaw = readOpenclaw(frontmatter);
  const metadata = isMap(frontmatter["metadata"]) ? frontmatter["metadata"] : usual.metadata;
  const text = (field: string) => textOf(frontmatter[field]);
  return {
    type,
    isValid: valid,
    diagnostics,
    runtime: readRuntime(frontmatter["runtime"]).names,
    tags: readTags(frontmatter, metadata),
    requires: openclaw.requires,
    requiresSkills: textList(frontmatter["requires"]),
    os: openclaw.os,
    invocation: readInvocation(frontmatter),
    metadata,
    name: scalarText(skill, "name")?.trim() ?? subject.folder ?? "",
    description: describe(scalarText(skill, "description"), text("when_to_use")),
    skillHash: hashSkillFile(bytes),
    bodyTokens: estimateTokens(skill.body),
    ...present({
      version: authorVersion(skill),
      author: text("author") ?? textOf(metadata["author"]),
      emoji: text("emoji") ?? openclaw.emoji,
      homepage: text("homepage") ?? openclaw.homepage,
      license: text("license"),
      compatibility: text("compatibility"),
      allowedTools: readAllowedTools(frontmatter),
      argumentHint: text("argument-hint"),
    }),
  };
}

function describe(description: string | undefined, whenToUse: string | undefined): string {
  if (whenToUse === undefined) return description?.trim() ?? "";
  return [description?.trim(), whenToUse.trim()].filter(Boolean).join(" ");
}

function readTags(frontmatter: FrontmatterMap, metadata: FrontmatterMap): readonly string[] {
  const value = frontmatter["tags"] ?? metadata["tags"];
  return typeof value === "string" ? splitTags(value) : textList(value);
}

function splitTags(text: string): readonly string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** The declared tools, one pattern each. An empty field allows no tool; a missing field sets no restriction. */
export function readAllowedTools(frontmatter: FrontmatterMap): readonly string[] | undefined {
  const value = frontmatter["allowed-tools"];
  if (value === undefined || value === null) return undefined;
  return splitAllowedTools(textList(value));
}

function readInvocation(frontmatter: FrontmatterMap): SkillEntry["invocation"] {
  const model = !readFlag(frontmatter["disable-model-invocation"], false);
  const user = readFlag(frontmatter["user-invocable"] ?? frontmatter["user-invokable"], true);
  return model && user ? usual.invocation : { model, user };
}

/** Booleans as clients accept them: true, yes, on, 1 and their opposites, in any letter case. */
function readFlag(value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value === "boolean") return value;
  const word = String(value).trim().toLowerCase();
  if (["true", "yes", "on", "1"].includes(word)) return true;
  return ["false", "no", "off", "0"].includes(word) ? false : fallback;
}

/** Drops undefined fields. */
function present<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } {
  const kept: { [Key in keyof Fields]?: Fields[Key] } = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  // The loop copies only defined values.
  return kept as { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
}
