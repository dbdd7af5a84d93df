import { lstatSync } from "node:fs";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type Bundle, pack, treeHash } from "../bundle/index.ts";
import type { LockedSkill } from "../exchange/index.ts";

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
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: "absent" };
  if (!stats.isDirectory()) return foreign(stats.isSymbolicLink() ? "It is a link." : "It is not a folder.");
  try {
    const bundle = await pack(place, { limits, shared: "none", allowHardLinks: true });
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
