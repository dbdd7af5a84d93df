import type { Actor, Digest, Provenance } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isManager } from "../ownership/ownership.ts";
import type { RegisteredSkill, Revision } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryStore } from "../record/registry-store.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { publishStaged } from "../release/publish.ts";
import { deleteSkill } from "../release/remove.ts";
import { getTree } from "../release/revisions.ts";
import type { BaseStore, InstallState } from "./install-state.ts";
import {
  type Applied,
  changedDuringInstall,
  type InstallChange,
  type Installed,
  type InstallRecord,
  type InstallTarget,
  type Occupied,
  statusOf,
} from "./target.ts";

export interface StoreTargetOptions {
  readonly by: Actor;
  /** Names the store, for pins. */
  readonly name: string;
  readonly state: InstallState;
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** The store: each install and update is a revision, with where it came from in its provenance. */
export function storeTarget(options: StoreTargetOptions, context: RegistryContext): InstallTarget {
  const { by, name, state } = options;
  const find = (id: string) => findOccupied(id, options, context);
  return {
    name,
    find,
    list: async () => {
      const current = await context.store.listCurrent();
      const found: Installed[] = [];
      for (const { skill } of current) {
        const occupied = await find(skill.id);
        if (occupied?.installed !== undefined) found.push({ ...occupied, installed: occupied.installed });
      }
      return found;
    },
    apply: async (change) => await apply(change, options, context),
    link: async () => [],
    remove: async (id) => {
      await deleteSkill(id, { by }, context);
    },
    setPinned: async (id, isPinned) => state.setPin(name, id, isPinned),
  };
}

async function findOccupied(
  id: string,
  { by, name, state }: StoreTargetOptions,
  context: RegistryContext,
): Promise<Occupied | undefined> {
  const { store } = context;
  const skill = await store.findSkill(id);
  if (skill === undefined || skill.status === "deleted" || skill.treeHash === undefined) return undefined;
  const grants = await store.listGrants([skill.uid]);
  // What the actor may not change is refused by the release itself, in the words for an id that is taken.
  if (!isManager(skill, grants, by))
    return { ...bare(skill, context), treeHash: skill.treeHash, installed: undefined };
  const revisions = await store.listRevisions(skill.uid);
  const from = revisions.findIndex(({ revision }) => revision === skill.revision);
  const record = revisions.slice(Math.max(0, from)).flatMap((each) => recordOf(each))[0];
  const isPinned = state.pinsOf(name).has(skill.id);
  const installed = record === undefined ? undefined : { ...record, isPinned };
  return { ...bare(skill, context), treeHash: skill.treeHash, installed };
}

function bare({ id, treeHash }: RegisteredSkill, { store }: RegistryContext): Pick<Occupied, "id" | "files"> {
  return { id, files: async () => (treeHash === undefined ? [] : await readTree(treeHash, store)) };
}

/** The install record of a revision that came from a source; empty for a local edit. */
function recordOf({ provenance, treeHash }: Revision): readonly Omit<InstallRecord, "isPinned">[] {
  const { spec, source, path, commit, subtree, publisher, release, signer, upstream } = provenance;
  if (spec === undefined) return [];
  return [
    { spec, source, path, commit, subtree, publisher, release, signer, upstream: upstream ?? treeHash },
  ];
}

/** The files of a tree with their bytes, each verified by its hash. */
async function readTree(hash: Digest, store: RegistryStore): Promise<readonly StagedFile[]> {
  const files: StagedFile[] = [];
  for (const file of await getTree(hash, store))
    files.push({ ...file, content: await store.blobs.get(file.digest) });
  return files;
}

/** The trees of revisions, as bases of merges; they are kept with the revisions and not by an install. */
export function storeBases({ store }: Pick<RegistryContext, "store">): Pick<BaseStore, "find"> {
  return {
    find: async (hash) => {
      try {
        return await readTree(hash, store);
      } catch (error) {
        // Not there, or purged.
        if (error instanceof SkillError && error.code === "INTEGRITY_FAILED") return undefined;
        throw error;
      }
    },
  };
}

async function apply(
  change: InstallChange,
  options: StoreTargetOptions,
  context: RegistryContext,
): Promise<Applied> {
  const { staged, origin, signer, firstSeen, upstream, before } = change;
  const { by, isDryRun = false, signal } = options;
  const now = await context.store.findSkill(staged.id);
  const current = now === undefined || now.status === "deleted" ? undefined : now.treeHash;
  if (current !== before?.treeHash) throw changedDuringInstall(staged.id);
  const { releasedAt: _, warnings: __, ...facts } = origin;
  const provenance: Partial<Omit<Provenance, "by" | "at">> = {
    ...facts,
    firstSeen,
    upstream,
    ...(signer === undefined ? {} : { signer }),
  };
  const published = await publishStaged(
    staged,
    { by, dryRun: isDryRun, provenance, ...(signal === undefined ? {} : { signal }) },
    context,
  );
  return {
    id: published.id,
    status: statusOf(published.status, staged.treeHash, upstream, before),
    treeHash: staged.treeHash,
    revision: published.revision,
    warnings: published.warnings,
  };
}
