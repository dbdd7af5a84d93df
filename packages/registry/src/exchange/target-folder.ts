import { lstatSync, type Stats } from "node:fs";
import { type Bundle, errorCodeOf, pack, treeHash } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { LockedSkill } from "../format/skills-lock.ts";

/** The state of a skill's target folder. */
export type TargetState =
  | { readonly kind: "absent" }
  /** The skill in a known state; `extras` are other files in its folder. */
  | { readonly kind: "known"; readonly treeHash: Digest; readonly extras: readonly string[] }
  | { readonly kind: "foreign"; readonly reason: string };

export interface WantedFolder {
  /** The tree hashes of all revisions: a folder that matches one was not edited. */
  readonly known: readonly Digest[];
  readonly paths: readonly string[];
}

/** Never throws for the content: a folder that cannot be read as a skill is not replaced. */
export async function readTargetState(
  place: string,
  wanted: WantedFolder,
  locked: LockedSkill | undefined,
  limits: Limits,
): Promise<TargetState> {
  const stats = tryLstat(place);
  if (stats === undefined) return { kind: "absent" };
  if (!stats.isDirectory())
    return foreign(stats.isSymbolicLink() ? "The target is a link." : "The target is not a folder.");
  try {
    const bundle = await packAsIs(place, limits);
    if (bundle.files.length + bundle.omitted.length === 0) return { kind: "absent" };
    const { hash } = await treeHash(bundle);
    if (!wanted.known.includes(hash) && hash !== locked?.skillhold?.treeHash)
      return foreign("The target was edited or comes from elsewhere.");
    return withExtras(hash, bundle, wanted);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return foreign(error.message);
  }
}

/** Whether a folder without its extras still has the expected state. */
export async function isStill(state: TargetState, folder: string, limits: Limits): Promise<boolean> {
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

/** Also undefined below a file; creating the folder then fails. */
function tryLstat(place: string): Stats | undefined {
  try {
    return lstatSync(place);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCodeOf(error))) return undefined;
    throw new SkillError("IO_FAILED", `${place} cannot be read.`, { details: { path: place }, cause: error });
  }
}

function foreign(reason: string): TargetState {
  return { kind: "foreign", reason };
}

function withExtras(hash: Digest, { omitted }: Bundle, { paths }: WantedFolder): TargetState {
  const extras = omitted.map(({ path }) => path);
  const blocked = extras.find((extra) =>
    paths.some((path) => path === extra || isBelow(path, extra) || isBelow(extra, path)),
  );
  if (blocked !== undefined) return foreign(`${blocked} is in the place of a file of the skill.`);
  return { kind: "known", treeHash: hash, extras };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
