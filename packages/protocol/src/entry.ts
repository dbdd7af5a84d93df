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

/** The declared requirements of a skill; an undeclared list is empty. */
export const Requirements = z.object({
  env: Texts,
  bins: Texts,
  anyBins: Texts,
  config: Texts,
});
export type Requirements = Readonly<z.infer<typeof Requirements>>;

/** The indexed metadata of a skill, without its body. */
export const SkillEntry = z.object({
  id: SkillId,
  name: z.string(),
  description: z.string(),
  source: z.string(),
  trust: Trust,
  /** The folder of the skill. */
  path: z.string(),
  /** The file name, if it is not SKILL.md. */
  file: z.string().optional(),
  skillHash: Digest,
  /** The revision number in the registry; absent for a folder. */
  revision: z.int().min(1).optional(),
  /** The hash over all files, if it is known without reading them. */
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
  /** Ids of skills to load first; a hint that is never followed automatically. */
  requiresSkills: Texts,
  /** Whether the model and the user may invoke the skill. */
  invocation: z.object({ model: z.boolean(), user: z.boolean() }),
  argumentHint: z.string().optional(),
  /** The approximate token count of the instructions. */
  bodyTokens: z.int().min(0),
  metadata: z.record(z.string(), z.json()),
  readiness: Readiness,
  diagnostics: z.array(Diagnostic).readonly(),
});
export type SkillEntry = Readonly<z.infer<typeof SkillEntry>>;
