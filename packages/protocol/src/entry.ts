import { z } from "zod";
import { Diagnostic } from "./diagnostic.ts";
import { Digest, SkillId, Trust } from "./id.ts";

const Texts = z.array(z.string()).readonly();

export const ReadinessState = z.enum(["ready", "needs-config", "missing-deps", "unsupported"]);
export type ReadinessState = z.infer<typeof ReadinessState>;

export const Readiness = z.object({ state: ReadinessState, reasons: Texts });
export type Readiness = Readonly<z.infer<typeof Readiness>>;

export const SkillType = z.enum(["context", "hybrid", "tool"]);
export type SkillType = z.infer<typeof SkillType>;

/** What a skill says it needs; each list is empty when it says nothing. */
export const Requirements = z.object({
  env: Texts,
  bins: Texts,
  anyBins: Texts,
  config: Texts,
});
export type Requirements = Readonly<z.infer<typeof Requirements>>;

/** What an index knows of a skill: metadata only, never the body. */
export const SkillEntry = z.object({
  id: SkillId,
  name: z.string(),
  description: z.string(),
  source: z.string(),
  trust: Trust,
  /** The skill's folder. */
  path: z.string(),
  /** The name of its file, where that is not SKILL.md. */
  file: z.string().optional(),
  skillHash: Digest,
  /** The store's count of releases; a folder has none. */
  revision: z.int().min(1).optional(),
  /** Over all files, where it is known without reading them. */
  treeHash: Digest.optional(),
  lastModified: z.iso.datetime(),
  type: SkillType,
  version: z.string().optional(),
  tags: Texts,
  author: z.string().optional(),
  emoji: z.string().optional(),
  homepage: z.string().optional(),
  license: z.string().optional(),
  compatibility: z.string().optional(),
  allowedTools: Texts.optional(),
  runtime: Texts,
  requires: Requirements,
  /** Ids of skills to load first; a hint, never followed by itself. */
  requiresSkills: Texts,
  /** Who may start it: the model by itself, the user by name. */
  invocation: z.object({ model: z.boolean(), user: z.boolean() }),
  argumentHint: z.string().optional(),
  /** About how many tokens its instructions cost. */
  bodyTokens: z.int().min(0),
  metadata: z.record(z.string(), z.json()),
  readiness: Readiness,
  diagnostics: z.array(Diagnostic).readonly(),
});
export type SkillEntry = Readonly<z.infer<typeof SkillEntry>>;
