// Prepares packages for packing: emits their code in one build, bundles it, and copies the license into their folders for npm.
//   node scripts/prepack.mjs [package folder …], by default the current folder
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildDocs } from "./build-docs.mjs";
import { bundlePackage } from "./bundle.mjs";

const root = join(import.meta.dirname, "..");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const given = process.argv.slice(2);
const folders = given.length > 0 ? given : [process.cwd()];

run(join(root, "scripts/install-frameworks.mjs"));
// Packages are built side by side; more checkers in each would infer the same types again.
run(tsc, "-b", "--checkers", "1", ...folders.map((folder) => join(folder, "tsconfig.build.json")));
for (const folder of folders) {
  // Python files run from source, so they are copied.
  for (const file of readdirSync(join(folder, "src"), { recursive: true }))
    if (file.endsWith(".py")) copyFileSync(join(folder, "src", file), join(folder, "dist", file));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  await bundlePackage(folder);
  if (folder === join(root, "packages/host")) {
    copySkills(join(folder, "skills"));
    copyConsole(join(folder, "console"));
    buildDocs(join(folder, "docs"));
  }
}

/** npm leaves links out, and so does this: the packer finds shared helpers beside the skills. */
function copySkills(target) {
  rmSync(target, { recursive: true, force: true });
  const filter = (path) => !lstatSync(path).isSymbolicLink();
  cpSync(join(root, "skills"), target, { recursive: true, filter });
}

function copyConsole(target) {
  const source = join(root, "packages/console/dist");
  if (!existsSync(join(source, "index.html"))) throw new Error("The console is not built: npm run prepare");
  rmSync(target, { recursive: true, force: true });
  cpSync(source, target, { recursive: true });
}

function run(...args) {
  execFileSync(process.execPath, args, { stdio: ["ignore", process.stderr, "inherit"] });
}
