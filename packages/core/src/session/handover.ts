import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { estimateTokens } from "@skillhold/skill";
import { hashSkillFile } from "../bundle/index.ts";
import type { Library, SkillContent } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Activation, HandoverRecord } from "./activation.ts";
import { type ActivatedSkill, writeActivation } from "./activation-text.ts";
import { contentWarnings } from "./content-warning.ts";
import { adviseOnRequirements } from "./requirement.ts";
import { readSupplement } from "./supplement.ts";

export interface Handover {
  readonly content: SkillContent;
  readonly args: string;
  readonly viewer: Viewer;
  /** What is missing for it on this machine, each in a sentence. */
  readonly lacks: readonly string[];
  /** What the session has in use already. */
  readonly active: ReadonlyMap<string, Activation>;
  readonly hasFileSystem: boolean;
  /** A text that costs more is refused. */
  readonly maxTokens: number;
  readonly limits: Limits;
}

export interface PreparedHandover {
  readonly skill: ActivatedSkill;
  readonly record: HandoverRecord;
}

/** Puts together what an agent is to read of a skill. Nothing is recorded and no file is read but the examples. */
export async function prepareHandover(handover: Handover, library: Library): Promise<PreparedHandover> {
  const { content, args, viewer, lacks, active, hasFileSystem, limits } = handover;
  const advice = await adviseOnRequirements(content.entry, new Set(active.keys()), viewer, library);
  const supplement = await readSupplement(content, limits, (path) =>
    library.resource(viewer, content.entry.id, path),
  );
  const before = active.get(content.entry.id);
  const hasChanged = before !== undefined && before.treeHash !== content.treeHash;
  const skill = writeActivation({
    content,
    args,
    hasFileSystem,
    supplement,
    hints: advice.hints,
    warnings: [
      ...(hasChanged ? ["The skill has changed since it was loaded; this text replaces the former."] : []),
      ...contentWarnings(content),
      ...lacks,
      ...advice.warnings,
      ...supplement.warnings,
    ],
  });
  rejectCostly(skill, handover.maxTokens);
  return { skill, record: recordText(skill, handover) };
}

function rejectCostly({ id, text }: ActivatedSkill, maxTokens: number): void {
  const cost = estimateTokens(text);
  if (cost <= maxTokens) return;
  throw new SkillError("LIMIT_EXCEEDED", `The skill ${id} costs about ${cost} tokens (maxTokens).`);
}

function recordText(
  { name, text, hints, warnings }: ActivatedSkill,
  { content: { folder }, args, hasFileSystem, limits }: Handover,
): HandoverRecord {
  const bytes = Buffer.from(text);
  return {
    digest: hashSkillFile(bytes),
    bytes: bytes.length,
    name,
    args,
    ...(hasFileSystem && folder !== undefined ? { folder } : {}),
    hints,
    warnings,
    exampleTokens: limits.exampleTokens,
  };
}
