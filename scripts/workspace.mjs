// The packages of the workspace, for the scripts that pack and release them.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { bundledTarget } from "./bundle.mjs";

export const root = join(import.meta.dirname, "..");

/** The condition that names a package's TypeScript sources; they are not published. */
const SOURCE_CONDITION = "@skillhold/source";

/** The manifests of all packages that are published, each with its folder's name. */
export function publishedWorkspaces() {
  return readdirSync(join(root, "packages"))
    .map((folder) => ({ ...readJson(join(root, "packages", folder, "package.json")), folder }))
    .filter((workspace) => !workspace.private);
}

/** Builds and packs every published package into a folder. Returns npm's description of each tarball. */
export function packWorkspaces(folder) {
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "skillhold-pack-"));
  try {
    const workspaces = publishedWorkspaces();
    const folders = workspaces.map((workspace) => join(root, "packages", workspace.folder));
    // One build and one call of npm for all packages; npm's own prepack would build each package alone.
    execFileSync(process.execPath, [join(root, "scripts/prepack.mjs"), ...folders], {
      stdio: "pipe",
      encoding: "utf8",
    });
    const stages = folders.map((source) => {
      const stage = join(scratch, basename(source));
      const unpublished = new Set(["node_modules", "src"].map((name) => join(source, name)));
      cpSync(source, stage, { recursive: true, filter: (path) => !unpublished.has(path) });
      writeJson(join(stage, "package.json"), publishedManifest(readJson(join(stage, "package.json"))));
      return stage;
    });
    return packFolders(stages, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A manifest without the entries that only work in the workspace, whose exports are the bundles. */
function publishedManifest({ scripts: _, ...manifest }) {
  const exports = Object.entries(manifest.exports ?? {})
    .filter(([subpath]) => !subpath.startsWith("./test/"))
    .map(([subpath, target]) => {
      if (typeof target === "string") return [subpath, target];
      const { [SOURCE_CONDITION]: _, ...published } = target;
      return [subpath, { ...published, default: bundledTarget(published.default) }];
    });
  return { ...manifest, exports: Object.fromEntries(exports), publishConfig: { access: "public" } };
}

/** Packs folders as they are. Returns npm's description of each tarball, in the same order. */
export function packFolders(folders, destination) {
  mkdirSync(destination, { recursive: true });
  const flags = ["--json", "--ignore-scripts", "--pack-destination", destination];
  const packed = JSON.parse(runNpm(destination, ["pack", ...flags, ...folders]));
  return folders.map((folder) => {
    const { name } = readJson(join(folder, "package.json"));
    return packed.find((tarball) => tarball.name === name);
  });
}

export function unpack(tarball, folder) {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", folder]);
}

export function tarballName({ name, version }) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

export function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** Runs npm without the settings of a surrounding npm. Returns its output. */
export function runNpm(cwd, args) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const shell = process.platform === "win32";
  const stdio = ["ignore", "pipe", "pipe"];
  return execFileSync("npm", args, { cwd, env, shell, stdio, encoding: "utf8", maxBuffer: 1e9 });
}
