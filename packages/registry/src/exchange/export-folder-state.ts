import { lstatSync, type Stats } from "node:fs";
import { type Bundle, errorCodeOf, pack, treeHash } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { LockedSkill } from "../format/index.ts";

/** What lies where a skill is to be written. */
export type FolderState =
  | { readonly kind: "absent" }
  /** The skill in a state that is known, so that nothing is lost; `extras` lie in its folder and are none of its files. */
  | { readonly kind: "known"; readonly treeHash: Digest; readonly extras: readonly string[] }
  | { readonly kind: "foreign"; readonly reason: string };

export interface WantedFolder {
  /** Of all revisions of the skill: a folder that is one of them was not edited. */
  readonly known: readonly Digest[];
  readonly paths: readonly string[];
}

/** Never throws for what it finds there: what cannot be understood is not ours to replace. */
export async function readFolderState(
  place: string,
  wanted: WantedFolder,
  locked: LockedSkill | undefined,
  limits: Limits,
): Promise<FolderState> {
  const stats = tryLstat(place);
  if (stats === undefined) return { kind: "absent" };
  if (!stats.isDirectory()) return foreign(stats.isSymbolicLink() ? "It is a link." : "It is not a folder.");
  try {
    const bundle = await packAsIs(place, limits);
    if (bundle.files.length + bundle.omitted.length === 0) return { kind: "absent" };
    const { hash } = await treeHash(bundle);
    if (!wanted.known.includes(hash) && hash !== locked?.skillhold?.treeHash)
      return foreign("It is not what was exported there: it was edited, or put there by other means.");
    return withExtras(hash, bundle, wanted);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return foreign(error.message);
  }
}

/** Whether a folder is what it was judged to be, when its extras were taken out of it. */
export async function isStill(state: FolderState, folder: string, limits: Limits): Promise<boolean> {
  try {
    const bundle = await packAsIs(folder, limits);
    if (bundle.omitted.length > 0) return false;
    if (state.kind !== "known") return bundle.files.length === 0;
    return (await treeHash(bundle)).hash === state.treeHash;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return false;
  }
}

async function packAsIs(folder: string, limits: Limits): Promise<Bundle> {
  return await pack(folder, { limits, shared: "none", allowHardLinks: true });
}

/** Undefined also below what is no folder: that shows when the folder is made. */
function tryLstat(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCodeOf(error))) return undefined;
    throw new SkillError("IO_FAILED", `${place} cannot be read.`, { details: { path: place }, cause: error });
  }
}

function foreign(reason: string): FolderState {
  return { kind: "foreign", reason };
}

function withExtras(hash: Digest, { omitted }: Bundle, { paths }: WantedFolder): FolderState {
  const extras = omitted.map(({ path }) => path);
  const blocked = extras.find((extra) =>
    paths.some((path) => path === extra || isBelow(path, extra) || isBelow(extra, path)),
  );
  if (blocked !== undefined) return foreign(`${blocked} lies where a file of the skill would.`);
  return { kind: "known", treeHash: hash, extras };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
