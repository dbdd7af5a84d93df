import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import { writeAssets } from "./asset.ts";
import { formatLicenses, packageOf } from "./license.ts";
import { writeIfChanged } from "./write-if-changed.ts";

/**
 * Builds `src/<id>/main.ts` to `skills/<id>/scripts/<id>.mjs` and `src/shared/*.ts` to `skills/_shared/*.mjs`.
 *
 * The same sources give the same bytes on every machine, because the tree hash of a skill covers them: no paths, dates
 * or hashes of paths are in the output. Our own code stays readable for reviewers. Libraries are in `lib/`, one file
 * per package.
 */
export async function buildSkills(places: Places, only: readonly string[] = []): Promise<readonly string[]> {
  const known = findPrograms(places);
  const unknown = only.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new Error(`There is no src/<id>/main.ts for: ${unknown.join(", ")}`);
  const helpers = await buildShared(places);
  const ids = only.length > 0 ? only : known;
  for (const id of ids) await buildProgram(id, helpers, places);
  return ids;
}

export interface Places {
  readonly sources: string;
  readonly skills: string;
  /** The text of our own license. */
  readonly license: string;
}

export const workspacePlaces: Places = {
  sources: join(import.meta.dirname, "src"),
  skills: join(import.meta.dirname, "../../skills"),
  license: join(import.meta.dirname, "../../LICENSE"),
};

/** The built helpers, with the modules inside each and the helpers that it imports. */
type Helpers = ReadonlyMap<
  string,
  { readonly moduleIds: readonly string[]; readonly imports: readonly string[] }
>;

async function buildShared({ sources, skills }: Places): Promise<Helpers> {
  const folder = join(sources, "shared");
  const names = readdirSync(folder).filter((name) => /^[a-z0-9-]+\.ts$/.test(name));
  const helpers = new Map<string, { moduleIds: readonly string[]; imports: readonly string[] }>();
  const written = names.map((name) => asBuilt(name));
  for (const name of names) {
    const [chunk] = await bundle(join(folder, name), false, externalize(folder, "./"));
    if (chunk === undefined) throw new Error(`${name} gives no output.`);
    writeIfChanged(join(skills, "_shared", asBuilt(name)), chunk.code);
    helpers.set(asBuilt(name), chunk);
  }
  removeOthers(join(skills, "_shared"), written);
  return helpers;
}

async function buildProgram(
  id: string,
  helpers: Helpers,
  { sources, skills, license }: Places,
): Promise<void> {
  const folder = join(skills, id, "scripts");
  const chunks = await bundle(
    join(sources, id, "main.ts"),
    true,
    externalize(join(sources, "shared"), "../_shared/"),
  );
  const written = chunks.map((chunk) => {
    const name = chunk.isEntry ? `${id}.mjs` : chunk.fileName;
    writeIfChanged(join(folder, name), isOurs(chunk) ? chunk.code : squeeze(name, chunk.code));
    return name;
  });
  const assets = writeAssets(id, join(folder, "lib"));
  const inside = [...chunks, ...helpersOf(chunks, helpers)]
    .flatMap((chunk) => chunk.moduleIds)
    .concat(assets);
  writeIfChanged(join(folder, "LICENSES.txt"), formatLicenses(inside, readFileSync(license, "utf8")));
  removeOthers(folder, written);
  removeOthers(
    join(folder, "lib"),
    written.map((name) => name.replace(/^lib\//, "")),
  );
  linkShared(join(skills, id));
}

function findPrograms({ sources }: Places): readonly string[] {
  return readdirSync(sources).filter((id) => existsSync(join(sources, id, "main.ts")));
}

async function bundle(input: string, isSplit: boolean, plugin: Plugin): Promise<readonly OutputChunk[]> {
  const bundled = await rolldown({
    input,
    cwd: import.meta.dirname,
    platform: "node",
    treeshake: true,
    plugins: [plugin],
    // Workspace packages are built from their sources.
    resolve: { conditionNames: ["@skillhold/source", "import", "node", "default"] },
    experimental: { attachDebugInfo: "none" },
    checks: { bundlerTimings: false },
  });
  const { output } = await bundled.generate({
    format: "esm",
    comments: { legal: true, annotation: false, jsdoc: true },
    // The caller names the entry, and no module imports it.
    entryFileNames: "[name].mjs",
    chunkFileNames: (chunk) => (isOurs(chunk) ? "[name].mjs" : "lib/[name].mjs"),
    codeSplitting: isSplit && {
      groups: [
        {
          test: (moduleId) => packageOf(moduleId) !== undefined,
          debugName: "library",
          name: libraryName,
        },
      ],
    },
  });
  await bundled.close();
  return output.filter((each) => each.type === "chunk");
}

/** Runtime modules of the bundler have no file, and facades of libraries have the file of the library. */
function isOurs(chunk: {
  readonly facadeModuleId?: string | null;
  readonly moduleIds: readonly string[];
}): boolean {
  const files = [...chunk.moduleIds, chunk.facadeModuleId ?? ""].filter((id) => isAbsolute(id));
  return files.length > 0 && files.every((id) => packageOf(id) === undefined);
}

function libraryName(moduleId: string): string {
  const name = packageOf(moduleId)?.name ?? "library";
  return name.replace(/^@[^/]+\//, "").replace(/[^\w.-]/g, "-");
}

/** Keeps imports of helpers as they are in the bundle. */
function externalize(shared: string, prefix: string): Plugin {
  return {
    name: "shared-helpers",
    resolveId: async function (source, importer, options) {
      // Libraries have thousands of relative imports, none of them of a helper.
      if (importer === undefined || !source.startsWith(".") || packageOf(importer) !== undefined) return null;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (resolved === null || dirname(resolved.id) !== shared) return null;
      return { id: `${prefix}${asBuilt(basename(resolved.id))}`, external: true };
    },
  };
}

function asBuilt(name: string): string {
  return name.replace(/\.ts$/, ".mjs");
}

/** Removes whitespace only: names stay, so that a reader can compare a library with its release. */
function squeeze(name: string, code: string): string {
  const { code: squeezed, errors } = minifySync(name, code, {
    module: true,
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: true, legalComments: "inline" },
  });
  if (errors.length > 0) throw new Error(`${name} cannot be squeezed: ${errors[0]?.message}`);
  return squeezed;
}

/** The helpers that the chunks import, directly or through other helpers. */
function helpersOf(chunks: readonly OutputChunk[], helpers: Helpers) {
  const names = new Set(chunks.flatMap((chunk) => chunk.imports).map((path) => basename(path)));
  // A set also visits entries that are added during the loop.
  for (const name of names) {
    for (const next of helpers.get(name)?.imports ?? []) names.add(basename(next));
  }
  return [...names].flatMap((name) => helpers.get(name) ?? []);
}

/** All programs in these folders are built, so that a file that was not written is left from an earlier build. */
function removeOthers(folder: string, kept: readonly string[]): void {
  if (!existsSync(folder)) return;
  const others = readdirSync(folder).filter((name) => name.endsWith(".mjs") && !kept.includes(name));
  for (const name of others) rmSync(join(folder, name));
}

/** The link that lets scripts run from the working copy. The packer replaces it by the files. */
function linkShared(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const link = join(folder, "_shared");
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  try {
    symlinkSync("../_shared", link, "dir");
  } catch {
    // The system does not allow links. The scripts still run from a bundle.
  }
}

if (import.meta.main) {
  const ids = await buildSkills(workspacePlaces, process.argv.slice(2));
  process.stderr.write(`Built the scripts of ${ids.join(", ")}\n`);
}
