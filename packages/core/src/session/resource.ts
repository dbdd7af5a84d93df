import { type SkillEntry, SkillError, type SkillId, type Trust } from "@skillhold/protocol";
import type { ByteRange, Library, Resource } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import { originMark } from "../source/origin.ts";
import type { Activation } from "./activation.ts";

/** A bundled file for the agent of a session. */
export interface SessionResource extends Resource {
  readonly skill: SkillId;
  readonly trust: Trust;
  /** The source of a skill from another server. */
  readonly origin?: string;
  readonly warnings: readonly string[];
}

export interface ResourceRead {
  readonly id: string;
  readonly path: string;
  readonly range: ByteRange | undefined;
  readonly allowNested: boolean;
  /** The skill's activation in this session, if any. */
  readonly before: Activation | undefined;
}

export async function readSessionResource(
  { id, path, range, allowNested, before }: ResourceRead,
  viewer: Viewer,
  library: Library,
): Promise<SessionResource> {
  const entry = await getEntry(id, viewer, library);
  if (!allowNested) rejectNested(path);
  const resource = await library.resource(viewer, id, path, range);
  const hasChanged = before !== undefined && before.treeHash !== resource.treeHash;
  return {
    ...resource,
    skill: entry.id,
    trust: entry.trust,
    ...originMark(entry),
    warnings: hasChanged ? ["The skill has changed since it was activated; activate it again."] : [],
  };
}

/** For a hidden or missing skill, `library.read` throws the right error. */
async function getEntry(id: string, viewer: Viewer, library: Library): Promise<SkillEntry> {
  return (await library.find(viewer, id)) ?? (await library.read(viewer, id)).entry;
}

function rejectNested(path: string): void {
  if (path.split(/[\\/]/).length <= 2) return;
  throw new SkillError("POLICY_DENIED", `${path.slice(0, 200)} is nested deeper than one folder.`, {
    hint: "Read only files in the skill's folder or one folder below it.",
    details: { path },
  });
}
