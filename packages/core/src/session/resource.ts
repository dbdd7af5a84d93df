import { type SkillEntry, SkillError, type SkillId, type Trust } from "@skillhold/protocol";
import type { ByteRange, Library, Resource } from "../library/library.ts";
import type { Viewer } from "../library/viewer.ts";
import type { Activation } from "./activation.ts";
import { originMark } from "./origin-mark.ts";

/** A bundled file as a session hands it over. */
export interface SessionResource extends Resource {
  readonly skill: SkillId;
  readonly trust: Trust;
  /** The source, of a skill that another program serves. */
  readonly origin?: string;
  readonly warnings: readonly string[];
}

export interface ResourceRead {
  readonly id: string;
  readonly path: string;
  readonly range: ByteRange | undefined;
  readonly allowNested: boolean;
  /** The skill as the session has it, if it was activated. */
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
    warnings: hasChanged ? ["The skill has changed since it was loaded; read it again."] : [],
  };
}

/** A skill that is hidden and one that is not there are refused in the library's own words. */
async function getEntry(id: string, viewer: Viewer, library: Library): Promise<SkillEntry> {
  return (await library.find(viewer, id)) ?? (await library.read(viewer, id)).entry;
}

function rejectNested(path: string): void {
  if (path.split(/[\\/]/).length <= 2) return;
  throw new SkillError("POLICY_DENIED", `${path.slice(0, 200)} lies deeper than one folder.`, {
    hint: "Only files in the skill's folder and in the folders right below it may be read here.",
    details: { path },
  });
}
