// Installs the agent frameworks that the adapters are built and tested against, and prints the folder of their
// node_modules. They stay out of the root install because they are large. tests/adapters/package-lock.json pins them;
// the cache is shared by all clones, one folder per lock file. Links make them visible to the adapters and their tests.
//   node scripts/install-frameworks.mjs [--heavy]    --heavy adds the native program of the Claude Agent SDK
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const project = join(root, "tests/adapters");
const isHeavy = process.argv.includes("--heavy");

try {
  const modules = installOnce();
  if (!isHeavy) for (const name of names()) link(name, modules);
  process.stdout.write(`${modules}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function names() {
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  return Object.keys(dependencies);
}

/** A finished folder never changes, and a rename publishes it: a second installer at the same time does no harm. */
function installOnce() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "skillhold-frameworks");
  const lock = readFileSync(join(project, "package-lock.json"));
  const key = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = join(cache, `${key}-${process.platform}-${process.arch}${isHeavy ? "-heavy" : ""}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    const fresh = mkdtempSync(`${folder}.`);
    try {
      install(fresh);
      publish(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return join(folder, "node_modules");
}

function install(folder) {
  for (const file of ["package.json", "package-lock.json"])
    copyFileSync(join(project, file), join(folder, file));
  process.stderr.write(`Installing the agent frameworks into ${dirname(folder)} (once per lock file).\n`);
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  try {
    execFileSync("npm", ["ci", ...flags, ...(isHeavy ? [] : ["--omit=optional"])], {
      cwd: folder,
      stdio: "pipe",
      encoding: "utf8",
      shell: process.platform === "win32",
    });
  } catch (error) {
    const lines = String(error.stderr ?? error.message).split("\n");
    const reasons = lines.filter((line) => line.startsWith("npm error")).slice(0, 5);
    throw new Error(
      [
        "The agent frameworks could not be installed. The adapters and the tests in tests/adapters need them.",
        "Connect to the package registry and run the command again. No other test needs them.",
        ...reasons,
      ].join("\n"),
    );
  }
}

function publish(fresh, folder) {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    // Another installer was first; its folder is the same.
    if (!existsSync(folder)) throw error;
  }
}

/** Zod stays the workspace's own for the adapters, so that there is one copy of its types. */
function link(name, modules) {
  const places = name === "zod" ? [] : [join(root, "packages/adapters"), project];
  for (const place of places) {
    const path = join(place, "node_modules", name);
    const target = join(modules, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() && readlinkSync(path) === target) continue;
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    symlinkSync(target, path, "junction");
  }
}
