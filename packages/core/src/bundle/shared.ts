import { readlinkSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import {
  findImports,
  findMentions,
  findNamed,
  foldName,
  type Mentions,
  resolveMentions,
} from "@skillhold/skill";
import { type BundleFile, BundleMeter, type StrayReference } from "./bundle.ts";
import type { FileTree } from "./file-tree.ts";
import { type WalkContext, type Walked, walk } from "./walk.ts";

/**
 * Adds the helpers that a skill uses from the sibling folder `_shared`, at `_shared/` in the bundle.
 *
 * Authors refer to helpers by their path in the bundle: a script `scripts/a.mjs` imports `../_shared/x.mjs`, and bytes
 * are never rewritten. To run scripts in the working copy too, add a link `_shared -> ../_shared` to the skill's
 * folder; the packer replaces it with the files. A reference by the layout of the working copy (`../../_shared/x.mjs`)
 * still adds its helper and is reported as stray.
 *
 * A skill with its own `_shared` folder gets no additions, so that a bundle written to disk packs to itself.
 */
export async function addShared(own: Walked, context: WalkContext): Promise<SharedWalk> {
  const unchanged = { ...own, strayReferences: [] };
  const parent = dirname(context.base);
  const shared = join(parent, "_shared");
  context.trace?.look(shared);
  if (hasOwnShared(own) || parent === context.base || context.tree.stat(shared)?.kind !== "folder")
    return unchanged;
  const isLinked = isSharedLink(join(context.base, "_shared"), context.tree);
  const users = readUsers(own.files, shared, context);
  if (!isLinked && users.length === 0) return unchanged;

  // The whole folder is only listed here; the used files are counted against the bundle below.
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

/** Only a disk has links. */
function isSharedLink(path: string, tree: FileTree): boolean {
  if (tree.stat(path)?.kind !== "link") return false;
  return (
    readlinkSync(path)
      .replace(/[\\/]+$/, "")
      .replaceAll("\\", "/") === "../_shared"
  );
}

/** The files of the skill that refer to `_shared`, with their references. */
function readUsers(files: readonly BundleFile[], shared: string, context: WalkContext): readonly User[] {
  const own = new Set(files.map(({ path }) => basename(path, ".py")));
  const isHelper = (module: string): boolean => {
    if (own.has(module)) return false;
    context.trace?.look(join(shared, `${module}.py`));
    return [`${module}.py`, module].some((name) => context.tree.stat(join(shared, name)) !== undefined);
  };
  return files.filter(isCode).flatMap((file) => {
    const text = readText(file, context);
    // A file that is too large to read may use every helper. Extra files are harmless, missing ones are not.
    if (text === undefined)
      return [{ path: file.path, mentions: { isWhole: true, names: [], references: [] } }];
    const mentions = findMentions(text);
    // `_shared` is on the module path of every script, so Python imports its helpers by their own names.
    const bare = file.path.endsWith(".py") ? findImports(text).filter(isHelper) : [];
    if (mentions === undefined && bare.length === 0) return [];
    const { isWhole = false, names = [], references = [] } = mentions ?? {};
    return [{ path: file.path, mentions: { isWhole, names: [...names, ...bare], references } }];
  });
}

function isCode(file: BundleFile): boolean {
  return (
    file.role === "instructions" || file.executable || CODE_EXTENSIONS.has(extname(file.path).toLowerCase())
  );
}

function readText(file: BundleFile, context: WalkContext): string | undefined {
  const read = context.tree.read(file.origin, context.meter.limits.resourceReadBytes, context);
  return "problem" in read ? undefined : new TextDecoder().decode(read.bytes);
}

/** The helpers that the skill's files name, then transitively those that helpers name. */
function selectUsed(
  users: readonly User[],
  offered: readonly BundleFile[],
  context: WalkContext,
): readonly BundleFile[] {
  const byName = new Map(offered.map((file) => [file.path.slice("_shared/".length), file]));
  const names = [...byName.keys()];
  const used = new Set(users.flatMap((user) => resolveMentions(user.mentions, names)));
  // Iterating a set visits entries added during the loop.
  for (const name of used) {
    for (const companion of findCompanions(name, names)) used.add(companion);
    const file = byName.get(name);
    if (file === undefined || !isCode(file)) continue;
    const text = readText(file, context);
    for (const next of text === undefined ? names : findNamed(text, names)) used.add(next);
  }
  return offered.filter((file) => used.has(file.path.slice("_shared/".length)));
}

/** Files that an interpreter reads implicitly: package markers in parent folders. */
function findCompanions(name: string, names: readonly string[]): readonly string[] {
  return names.filter((other) => {
    if (!["__init__.py", "package.json"].includes(basename(other))) return false;
    return dirname(other) === "." || name.startsWith(`${dirname(other)}/`);
  });
}

/** Relative references that point above the bundle root. */
function findStray(user: User): readonly StrayReference[] {
  const depth = user.path.split("/").length - 1;
  const expected = `${"../".repeat(depth) || "./"}_shared`;
  const stray = user.mentions.references.filter((reference) => reference.split("../").length - 1 > depth);
  return [...new Set(stray)].map((reference) => ({ path: user.path, reference, expected }));
}
