import { hashSkillFile } from "@skillhold/core/bundle";
import { asResource, type SkillFile } from "@skillhold/core/library";
import { readSupplement, writeActivation } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { parseSkill } from "@skillhold/skill";
import type { PastContent } from "./replay-content.ts";
import { available, type Recovered, unavailable } from "./replay-step.ts";

export type ActivatedEvent = Extract<SkillEvent, { readonly type: "skill.activated" }>;

/** Makes the text of an activation again from the bundle and the record, and tells by its digest whether it is the same. */
export async function replayText(
  event: ActivatedEvent,
  skillFile: Recovered,
  content: PastContent,
  limits: Limits,
): Promise<Recovered> {
  const { handover } = event;
  if (handover === undefined) return unavailable("not-recorded", "The log has no digest of the text.");
  if (!skillFile.isAvailable) return skillFile;
  const files = await content.files(event.skill, event.hash);
  if ("isAvailable" in files) return files;
  const text = await writeText(event, handover, { bytes: skillFile.bytes, files }, content, limits);
  const bytes = Buffer.from(text);
  if (hashSkillFile(bytes) === handover.digest) return available(bytes);
  return unavailable(
    "not-reproducible",
    "Texts are put together in another way by now; its content is there.",
  );
}

interface Bundle {
  /** Of SKILL.md. */
  readonly bytes: Uint8Array;
  readonly files: readonly SkillFile[];
}

async function writeText(
  { skill: id, hash: treeHash, trust, source: label }: ActivatedEvent,
  { name, args, folder, hints, warnings, exampleTokens }: NonNullable<ActivatedEvent["handover"]>,
  { bytes, files }: Bundle,
  content: PastContent,
  limits: Limits,
): Promise<string> {
  const { body, frontmatter } = parseSkill(bytes, limits);
  const source = { entry: { id, name, trust, source: label }, body, frontmatter, treeHash, files, folder };
  const room = { ...limits, exampleTokens };
  const supplement = await readSupplement(source, room, (path) => readWhole(path, source, content));
  const hasFileSystem = folder !== undefined;
  return writeActivation({ content: source, args, hasFileSystem, supplement, hints, warnings }).text;
}

async function readWhole(
  path: string,
  { entry, treeHash }: { readonly entry: { readonly id: string }; readonly treeHash: ActivatedEvent["hash"] },
  content: PastContent,
) {
  const find = (files: readonly SkillFile[]) => files.find((file) => file.path === path);
  const found = await content.bytes(entry.id, treeHash, find);
  const bytes = found.isAvailable ? found.bytes : new Uint8Array();
  return asResource(path, 0, { bytes, size: bytes.length, digest: hashSkillFile(bytes), treeHash });
}
