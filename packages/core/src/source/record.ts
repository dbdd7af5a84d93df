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

const ANYONE: SkillEntry["invocation"] = Object.freeze({ model: true, user: true });
const NOTHING: FrontmatterMap = Object.freeze(Object.create(null));

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
  const metadata = isMap(frontmatter["metadata"]) ? frontmatter["metadata"] : NOTHING;
  const text = (field: string) => textOf(frontmatter[field]);
  // In the order of `readRecordText`, so that entries print the same from a file and from a snapshot.
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
  return model && user ? ANYONE : { model, user };
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
