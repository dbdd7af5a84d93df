// Joins the emitted modules of a package to few files, because a start pays for every module that it loads. `dist/joined/`
// has one file for each export, and the files that they share. The emitted modules stay beside them: workers, tool hosts
// and probes run them by their paths.
import { readFileSync, rmSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";

export const BUNDLE = "dist/joined";
const MODULE = /^\.\/dist\/(.+)\.js$/;
const FOREIGN = /^\.\/([^*]+)\.js$/;
/** Packages of many small modules. No package hands their objects to another, so each bundle has its own copy. */
const JOINED = new Set(["commander", "json5", "yaml"]);
/** Packages that most commands load. The command line hands none of their objects to a program. */
const JOINED_COMMAND = new Set([...JOINED, "ignore", "lru-cache", "picocolors", "zod"]);
const OURS = "@skillhold/";

/** The path of an export's bundle; other targets stay. */
export function bundledTarget(target) {
  return target.replace(MODULE, `./${BUNDLE}/$1.js`);
}

/** Bundles a package. */
export async function bundlePackage(place) {
  const folder = resolve(place);
  const out = join(folder, BUNDLE);
  rmSync(out, { recursive: true, force: true });
  const input = entriesOf(folder);
  if (Object.keys(input).length === 0) return;
  await writeJoined({
    ...{ folder, input, out },
    // Other packages stay packages, so that each is loaded once.
    external: (id) => isPackage(id) && !JOINED.has(id),
    plugins: [keepPlaces(join(folder, "dist"))],
    sourcemap: true,
  });
}

/**
 * Bundles the command line of an installation with the other packages, because a start also pays for finding each package.
 * The packages stay beside it, for programs. Contract: `modules` is the folder of all packages.
 */
export async function joinCommandLine(modules) {
  const folder = join(modules, "@skillhold/cli");
  const dist = join(folder, "dist");
  const out = join(folder, BUNDLE);
  const starts = new Set(["main.js", "program.js"].map((name) => join(dist, name)));
  rmSync(out, { recursive: true, force: true });
  await writeJoined({
    ...{ folder, out },
    input: { main: join(dist, "main.js") },
    external: (id) => isPackage(id) && !id.startsWith(OURS) && !JOINED_COMMAND.has(id),
    plugins: [emittedModules, keepPlaces(dist)],
    sourcemap: true,
    codeSplitting: {
      groups: [
        // Every command loads the first group, and most load the second; each takes its imports with it.
        { name: "command", test: (id) => starts.has(id), priority: 2 },
        { name: "library", test: join(dist, "open.js"), priority: 1 },
      ],
    },
  });
}

/** Replaces the ES modules that a copy of a foreign package exports with few files. */
export async function joinDependency(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const paths = Object.values(exports).flatMap(({ import: path = "" }) => FOREIGN.exec(path)?.[1] ?? []);
  const input = Object.fromEntries(paths.map((name) => [name, join(folder, `${name}.js`)]));
  await writeJoined({ folder, input, out: folder, external: isPackage, treeshake: false });
}

async function writeJoined({ folder, out, sourcemap = false, codeSplitting = true, ...options }) {
  const bundle = await rolldown({
    cwd: folder,
    platform: "node",
    logLevel: "warn",
    onLog: (level, log, report) => {
      if (level === "warn") throw new Error(`${basename(folder)}: ${log.message}`);
      report(level, log);
    },
    ...options,
  });
  try {
    await bundle.write({
      dir: out,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "shared/[name]-[hash].js",
      sourcemap,
      codeSplitting,
    });
  } finally {
    await bundle.close();
  }
}

function isPackage(id) {
  return !id.startsWith(".") && !id.startsWith(sep) && !/^[A-Za-z]:\\/.test(id);
}

function entriesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = {};
  for (const target of Object.values(exports)) {
    const [path, name] = MODULE.exec(target.default ?? "") ?? [];
    if (name !== undefined) entries[name] = resolve(folder, path);
  }
  return entries;
}

/** Takes our packages from their emitted modules, so that a bundle has only the modules that it uses. */
const emittedModules = {
  name: "emitted-modules",
  async resolveId(id, importer) {
    if (!id.startsWith(OURS)) return undefined;
    const { id: bundled } = await this.resolve(id, importer, { skipSelf: true });
    return bundled.replace(join(sep, BUNDLE, sep), join(sep, "dist", sep));
  },
};

const META = /\bimport\.meta\.(url|dirname|filename)\b/g;

/** A module that looks for files beside itself still finds them: its address is that of the emitted module. */
function keepPlaces(dist) {
  return {
    name: "keep-places",
    transform(code, id) {
      if (!META.test(code)) return undefined;
      const path = relative(dist, id).split(sep).join("/");
      const root = 'import.meta.url.slice(0, import.meta.url.lastIndexOf("/dist/") + 6)';
      const url = `new URL(${JSON.stringify(path)}, ${root})`;
      const file = `process.getBuiltinModule("node:url").fileURLToPath(${url})`;
      const values = {
        url: `${url}.href`,
        filename: file,
        dirname: `process.getBuiltinModule("node:path").dirname(${file})`,
      };
      return { code: code.replace(META, (_, member) => values[member]), map: null };
    },
  };
}
