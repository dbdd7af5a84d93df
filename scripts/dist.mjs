// Writes one file that installs Skillhold without a registry: `npm run dist` makes skillhold-<version>.tgz, and
// `npm i -g ./skillhold-<version>.tgz` installs it. Dependencies are bundled in the versions of package-lock.json.
//   node scripts/dist.mjs [--out <folder>] [--packed <folder with the tarballs of all packages>]
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { joinCommandLine, joinDependency } from "./bundle.mjs";
import {
  packFolders,
  packWorkspaces,
  publishedWorkspaces,
  readJson,
  root,
  tarballName,
  unpack,
  writeJson,
} from "./workspace.mjs";

/** Packages for users' tests, which the command does not need. */
const LEFT_OUT = new Set(["@skillhold/testing"]);
/** Files of dependencies that Node does not load: for editors, debuggers and another runtime, half of all files. */
const UNUSED = /\.(?:map|bare|[cm]?ts)$/;
/** Their types are part of the public API, so their declarations stay. */
const TYPED = new Set(["zod"]);
const UNUSED_BESIDE_TYPES = /\.map$|(?<!\.d)\.[cm]?ts$/;
const UNUSED_FOLDERS = ["node_modules", "test", "examples"];

const { values } = parseArgs({ options: { out: { type: "string" }, packed: { type: "string" } } });
const out = resolve(values.out ?? root);
const scratch = mkdtempSync(join(tmpdir(), "skillhold-dist-"));
try {
  const stage = join(scratch, "package");
  const packed = values.packed === undefined ? join(scratch, "packed") : resolve(values.packed);
  if (values.packed === undefined) packWorkspaces(packed);
  const bundled = stageBundle(packed, stage);
  const modules = join(stage, "node_modules");
  await removeGrammars(modules);
  await joinCommandLine(modules);
  // A program loads its 100 modules.
  await joinDependency(join(modules, "zod"));
  writeManifest(stage, bundled);
  const [tarball] = packFolders([stage], out);
  const size = (tarball.size / 1e6).toFixed(1);
  console.log(`${join(out, tarball.filename)} (${size} MB, ${bundled.size} bundled packages)`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Unpacks our packages and copies their dependencies. Returns the bundled packages by name. */
function stageBundle(packed, stage) {
  const workspaces = publishedWorkspaces().filter(({ name }) => !LEFT_OUT.has(name));
  const names = new Set(workspaces.map(({ name }) => name));
  const lock = readJson(join(root, "package-lock.json")).packages;
  const bundled = new Map();
  const copied = new Set();
  for (const workspace of workspaces) {
    const { name, folder, version, dependencies = {} } = workspace;
    const place = name === "skillhold" ? stage : join(stage, "node_modules", name);
    unpack(join(packed, tarballName(workspace)), place);
    if (name !== "skillhold") bundled.set(name, version);
    for (const dependency of Object.keys(dependencies))
      if (!names.has(dependency)) copyLocked(`packages/${folder}`, dependency);
  }
  return bundled;

  /** Copies a dependency of the package at a lock path, and its own dependencies, to the same relative place. */
  function copyLocked(parent, name) {
    const path = findLocked(lock, parent, name);
    if (path === undefined)
      throw new Error(`${name}, a dependency of ${parent}, is not in package-lock.json.`);
    if (copied.has(path)) return;
    copied.add(path);
    const entry = lock[path];
    const place = join(stage, stagedPath(path));
    copyPackage(join(root, path), place);
    if (path === `node_modules/${name}`) bundled.set(name, entry.version);
    for (const dependency of Object.keys(entry.dependencies ?? {})) copyLocked(path, dependency);
  }

  function stagedPath(path) {
    const [, folder, rest] = /^packages\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (folder === undefined) return path;
    const { name } = workspaces.find((workspace) => workspace.folder === folder);
    return name === "skillhold" ? rest : join("node_modules", name, rest);
  }
}

/** Node's lookup, on the paths of the lock file. */
function findLocked(lock, parent, name) {
  for (let folder = parent; ; folder = dirname(folder)) {
    const path = folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (folder === ".") return undefined;
  }
}

/** Nested packages are copied on their own, if a bundled package needs them. */
function copyPackage(from, to) {
  if (!existsSync(from)) throw new Error(`${from} is not installed. Run npm install first.`);
  const folders = new Set(UNUSED_FOLDERS.map((name) => join(from, name)));
  const unused = TYPED.has(basename(from)) ? UNUSED_BESIDE_TYPES : UNUSED;
  cpSync(from, to, { recursive: true, filter: (path) => !folders.has(path) && !unused.test(path) });
}

/** The parser comes with grammars of languages that the scanner does not read. */
async function removeGrammars(modules) {
  const { languages } = await import(pathToFileURL(join(modules, "@skillhold/deps/dist/scan/syntax.js")));
  const kept = new Set(["tree-sitter.wasm", ...languages.map((name) => `tree-sitter-${name}.wasm`)]);
  const folder = join(modules, "@vscode/tree-sitter-wasm/wasm");
  for (const file of readdirSync(folder))
    if (file.endsWith(".wasm") && !kept.has(file)) rmSync(join(folder, file));
}

function writeManifest(stage, bundled) {
  const path = join(stage, "package.json");
  const names = [...bundled.keys()].sort();
  const dependencies = Object.fromEntries(names.map((name) => [name, bundled.get(name)]));
  writeJson(path, { ...readJson(path), dependencies, bundleDependencies: names });
}
