import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { findMentions, findNamed, foldName, type Mentions, resolveMentions } from "@skillhold/skill";
import { type BundleFile, BundleMeter, type StrayReference } from "./bundle.ts";
import { readBounded } from "./read-file.ts";
import { type WalkContext, type Walked, walk } from "./walk.ts";

/**
 * Adds the helpers that a skill uses from the folder `_shared` beside it, at `_shared/` in the bundle.
 *
 * The rule for authors: refer to helpers as they lie in the bundle. A script `scripts/a.mjs` imports
 * `../_shared/x.mjs`; bytes are never rewritten. To run scripts from the working copy as well, put a link
 * `_shared -> ../_shared` into the skill's folder; the packer knows that link, and puts the files in its place.
 * A reference by the layout of the working copy (`../../_shared/x.mjs`) still brings its helper along, and is
 * reported as stray.
 *
 * A skill with a `_shared` folder of its own is complete: then nothing is added, so that a bundle written to
 * disk packs to itself wherever it lies.
 */
export async function addShared(own: Walked, context: WalkContext): Promise<SharedWalk> {
  const unchanged = { ...own, strayReferences: [] };
  const parent = dirname(context.base);
  const shared = join(parent, "_shared");
  context.trace?.look(shared);
  if (hasOwnShared(own) || parent === context.base || !isFolder(shared)) return unchanged;
  const isLinked = isSharedLink(join(context.base, "_shared"));
  const users = readUsers(own.files, context);
  if (!isLinked && users.length === 0) return unchanged;

  // The whole folder is only looked at here; what is used is counted against the bundle below.
  const offered = await walk("_shared", {
    ...context,
    base: parent,
    meter: new BundleMeter(context.meter.limits),
  });
  const isWhole = isLinked && users.length === 0;
  const used = isWhole ? offered.files : selectUsed(users, offered.files, context);
  for (const file of used) context.meter.addFile(file.path, file.size);
  return {
    files: [...own.files, ...used],
    omitted: [
      ...own.omitted.filter((omission) => !(isLinked && omission.path === "_shared")),
      ...offered.omitted,
    ],
    strayReferences: users.flatMap(findStray),
  };
}

export interface SharedWalk extends Walked {
  readonly strayReferences: readonly StrayReference[];
}

interface User {
  readonly path: string;
  readonly mentions: Mentions;
}

const CODE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    ".py .pyw .ipynb .js .mjs .cjs .jsx .ts .mts .cts .tsx .sh .bash .zsh .fish .ps1 .psm1 .bat .cmd .rb .pl .php " +
    ".lua .r .go .rs .java .kt .swift .json .yaml .yml .toml"
  ).split(" "),
);

function hasOwnShared(own: Walked): boolean {
  return own.files.some((file) => foldName(file.path.split("/")[0] ?? "") === "_shared");
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isSharedLink(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false;
  return (
    readlinkSync(path)
      .replace(/[\\/]+$/, "")
      .replaceAll("\\", "/") === "../_shared"
  );
}

/** The files of the skill that speak of `_shared`, with what they say. */
function readUsers(files: readonly BundleFile[], context: WalkContext): readonly User[] {
  return files.filter(isCode).flatMap((file) => {
    const text = readText(file, context);
    // What is too large to read may well use every helper: too many files harm nobody, a missing one does.
    const mentions = text === undefined ? { isWhole: true, names: [], references: [] } : findMentions(text);
    return mentions === undefined ? [] : [{ path: file.path, mentions }];
  });
}

function isCode(file: BundleFile): boolean {
  return (
    file.role === "instructions" || file.executable || CODE_EXTENSIONS.has(extname(file.path).toLowerCase())
  );
}

function readText(file: BundleFile, context: WalkContext): string | undefined {
  const read = readBounded(file.origin, context.meter.limits.resourceReadBytes, context);
  return "problem" in read ? undefined : new TextDecoder().decode(read.bytes);
}

/** What the skill's files name, then what those helpers name among each other, until nothing is added. */
function selectUsed(
  users: readonly User[],
  offered: readonly BundleFile[],
  context: WalkContext,
): readonly BundleFile[] {
  const byName = new Map(offered.map((file) => [file.path.slice("_shared/".length), file]));
  const names = [...byName.keys()];
  const used = new Set(users.flatMap((user) => resolveMentions(user.mentions, names)));
  // A set visits what is added to it on the way.
  for (const name of used) {
    for (const companion of findCompanions(name, names)) used.add(companion);
    const file = byName.get(name);
    if (file === undefined || !isCode(file)) continue;
    const text = readText(file, context);
    for (const next of text === undefined ? names : findNamed(text, names)) used.add(next);
  }
  return offered.filter((file) => used.has(file.path.slice("_shared/".length)));
}

/** What an interpreter reads beside a helper without being told: package markers on the way to it. */
function findCompanions(name: string, names: readonly string[]): readonly string[] {
  return names.filter((other) => {
    if (!["__init__.py", "package.json"].includes(basename(other))) return false;
    return dirname(other) === "." || name.startsWith(`${dirname(other)}/`);
  });
}

/** Relative references that climb out of the bundle instead of to its root. */
function findStray(user: User): readonly StrayReference[] {
  const depth = user.path.split("/").length - 1;
  const expected = `${"../".repeat(depth) || "./"}_shared`;
  const stray = user.mentions.references.filter((reference) => reference.split("../").length - 1 > depth);
  return [...new Set(stray)].map((reference) => ({ path: user.path, reference, expected }));
}
