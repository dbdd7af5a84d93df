// Prepares a package for packing: emits its code, and copies the license into its folder for npm.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");

execFileSync(process.execPath, [join(root, "scripts/install-frameworks.mjs")], {
  stdio: ["ignore", "ignore", "inherit"],
});
execFileSync(process.execPath, [tsc, "-b", "tsconfig.build.json"], {
  stdio: ["ignore", "ignore", "inherit"],
});
// Python files run from source, so they are copied.
for (const file of globSync("src/**/*.py")) copyFileSync(file, join("dist", file.slice("src/".length)));
copyFileSync(join(root, "LICENSE"), "LICENSE");
