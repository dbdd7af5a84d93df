import { SkillError } from "@skillhold/protocol/error";
import type { LimitName, Limits } from "@skillhold/protocol/limits";
import type { Grant } from "../record/grant.ts";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { getRevisionOf, rejectPurged } from "./revisions.ts";
import { TreeReader } from "./tree-reader.ts";

/** A skill with all files of its current revision. */
export interface LoadedSkill {
  readonly skill: RegisteredSkill;
  readonly revision: Revision;
  readonly files: readonly StagedFile[];
  readonly grants: readonly Grant[];
}

/** Throws INTEGRITY_FAILED if files are missing from the store or do not match their hashes. */
export async function loadSkill(
  skill: RegisteredSkill,
  meter: ExportMeter,
  { store }: RegistryContext,
): Promise<LoadedSkill> {
  const revision = await getRevisionOf(skill, skill.revision, store);
  rejectPurged(revision, skill.id);
  const reader = new TreeReader(store);
  const files: StagedFile[] = [];
  for (const { role: _role, ...file } of await reader.files(revision.treeHash)) {
    meter.add(file.size);
    files.push({ ...file, content: await reader.bytes(file) });
  }
  return { skill, revision, files, grants: await store.listGrants([skill.uid]) };
}

/** Enforces the import limits on an export, which is built in memory. */
export class ExportMeter {
  readonly #limits: Limits;
  #files = 0;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    rejectMore("bundleFiles", this.#files, this.#limits);
    rejectMore("unpackedBytes", this.#bytes, this.#limits);
  }
}

const things = {
  archiveSkills: "skills",
  bundleFiles: "files",
  unpackedBytes: "bytes",
  archiveBytes: "archive bytes",
} as const satisfies Partial<Record<LimitName, string>>;

export function rejectMore(limit: keyof typeof things, count: number, limits: Limits): void {
  if (count <= limits[limit]) return;
  const message = `The export has more than ${limits[limit]} ${things[limit]} (limit ${limit}).`;
  throw new SkillError("LIMIT_EXCEEDED", message, {
    hint: "Export fewer skills at a time, or raise the limit here and on the importing side.",
    details: { limit, max: limits[limit] },
  });
}
