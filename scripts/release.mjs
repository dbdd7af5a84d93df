// Builds, checks and publishes all packages in one version: `npm run release -- --dry-run` stops before publishing.
//   node scripts/release.mjs [--dry-run] [--provenance] [--packed <folder with the tarballs>]
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packWorkspaces, publishedWorkspaces, readJson, root, runNpm, tarballName } from "./workspace.mjs";

const PUBLINT = "publint@0.3.25";
const TYPE_CHECK = "@arethetypeswrong/cli@0.18.5";

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean" },
    provenance: { type: "boolean" },
    packed: { type: "string" },
  },
});
const isDryRun = values["dry-run"] === true;
const workspaces = publishedWorkspaces();
const scratch = mkdtempSync(join(tmpdir(), "skillhold-release-"));
try {
  const version = checkVersions();
  const problems = [...checkRepository(version), ...checkManifests()];
  const packed = values.packed === undefined ? scratch : resolve(values.packed);
  if (values.packed === undefined) {
    console.log(`Packing ${workspaces.length} packages …`);
    packWorkspaces(packed);
  }
  for (const workspace of workspaces)
    problems.push(...checkTarball(join(packed, tarballName(workspace)), workspace));
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) throw new Error(`${problems.length} problems. Nothing was published.`);
  if (isDryRun) console.log(`${workspaces.length} packages of version ${version} are ready to publish.`);
  else publish(packed);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function checkVersions() {
  const { version } = readJson(join(root, "package.json"));
  for (const { name, version: own, dependencies = {} } of workspaces) {
    if (own !== version) throw new Error(`${name} has version ${own}. Set it to ${version}.`);
    for (const [dependency, range] of Object.entries(dependencies))
      if (dependency.startsWith("@skillhold/") && range !== version)
        throw new Error(`${name} depends on ${dependency} ${range}. Set it to ${version}.`);
  }
  return version;
}

/** A dry run reports a dirty tree and a missing repository as notes, because only a release needs them. */
function checkRepository(version) {
  const problems = [];
  const note = (text) => (isDryRun ? console.log(`note: ${text}`) : problems.push(text));
  if (git("status", "--porcelain") !== "") note("The work tree has uncommitted changes.");
  if (!readFileSync(join(root, "CHANGELOG.md"), "utf8").includes(`## ${version}`))
    note(`CHANGELOG.md has no section for ${version}.`);
  if (values.provenance && readJson(join(root, "package.json")).repository === undefined)
    note("Provenance needs a repository in package.json.");
  return problems;
}

function checkManifests() {
  return workspaces.flatMap((workspace) =>
    ["description", "license", "engines", "files", "exports"]
      .filter((field) => workspace[field] === undefined)
      .map((field) => `${workspace.name} has no ${field} in its package.json.`),
  );
}

function checkTarball(tarball, { name }) {
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const unwanted = files.filter((file) => /^package\/src\/|\.test\.|\.fixture\.|\.tsbuildinfo$/.test(file));
  const problems = unwanted.map((file) => `${name} contains ${file}.`);
  problems.push(...runCheck(name, PUBLINT, ["publint", tarball, "--strict"]));
  problems.push(
    ...runCheck(name, TYPE_CHECK, ["attw", tarball, "--profile", "esm-only", "--format", "ascii"]),
  );
  if (problems.length === 0) console.log(`✓ ${name}`);
  return problems;
}

function runCheck(name, spec, command) {
  try {
    runNpm(scratch, ["exec", "--yes", `--package=${spec}`, "--", ...command]);
    return [];
  } catch (error) {
    return [`${name} fails ${command[0]}:\n${error.stdout}${error.stderr}`];
  }
}

/** Publishes dependencies first, so that no published package lacks one. */
function publish(packed) {
  const done = new Set();
  const visit = (workspace) => {
    if (done.has(workspace.name)) return;
    done.add(workspace.name);
    for (const other of workspaces) if (other.name in (workspace.dependencies ?? {})) visit(other);
    const flags = values.provenance ? ["--provenance"] : [];
    runNpm(root, ["publish", join(packed, tarballName(workspace)), "--access", "public", ...flags]);
    console.log(`published ${workspace.name}`);
  };
  for (const workspace of workspaces) visit(workspace);
}

function git(...args) {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}
