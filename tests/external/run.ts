import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { hashSkillFile } from "@skillhold/core/bundle";
import { scanGuard } from "@skillhold/deps/guard-scan";
import { WorkTime } from "@skillhold/deps/test/scan/work-time";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { mergeTrees } from "@skillhold/registry/install";
import { stageFolder } from "@skillhold/registry/release";
import { checkSignatures } from "@skillhold/registry/signature";
import { MARKETPLACE_FILES, readMarketplace } from "@skillhold/registry/test/install/marketplace";

/**
 * Usage: npm run test:external -- <folder>. Tries material that is not part of the repository: signed skills with the
 * certificates of their authorities (*.pem), clones with a history, plugin marketplaces, and any skills. Fails when a
 * marketplace cannot be read, a clean merge differs from git's, or the guard throws. All other results are counts.
 */
const [given] = process.argv.slice(2);
if (given === undefined || !existsSync(given)) {
  console.error("Name a folder: npm run test:external -- <folder>");
  process.exit(2);
}
const root = resolve(given);
const MOST_CHANGES = 500;
const problems: string[] = [];
const files = listFiles(root);

await checkSkills(files.filter((path) => basename(path) === "SKILL.md").map((path) => dirname(path)));
checkMarketplaces(files.filter((path) => MARKETPLACE_FILES.some((name) => path.endsWith(`/${name}`))));
checkMerges(findClones(root));
for (const problem of problems.slice(0, 50)) console.error(problem);
console.log(problems.length === 0 ? "no problems" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

/** Stages each skill, checks its signature, and scans it. */
async function checkSkills(folders: readonly string[]): Promise<void> {
  const pem = files.filter((path) => path.endsWith(".pem")).map((path) => readFileSync(path, "utf8"));
  const roots = pem.flatMap((text) =>
    (text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
      (block) => new X509Certificate(block),
    ),
  );
  const counts = new Map<string, number>();
  const times: number[] = [];
  const note = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const folder of folders) {
    try {
      const staged = await stageFolder(folder, { within: folder }, defaultLimits);
      note(`signature ${checkSignatures(staged.files, { signers: [], roots }, new Date()).status}`);
      const work = new WorkTime();
      const { verdict } = await scanGuard(
        staged.files.map(({ path, content }) => ({ path, bytes: content })),
      );
      times.push(work.ms);
      note(`guard ${verdict}`);
    } catch (error) {
      if (error instanceof SkillError) note(`not staged: ${error.code}`);
      else problems.push(`${folder}: ${String(error)}`);
    }
  }
  console.log(`${folders.length} skills, ${roots.length} certificates`);
  for (const [name, count] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
    console.log(`  ${name}: ${count}`);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
  if (sorted.length > 0) console.log(`  guard ms a skill: median ${at(0.5)}, p95 ${at(0.95)}`);
}

function checkMarketplaces(paths: readonly string[]): void {
  let plugins = 0;
  for (const path of paths) {
    try {
      plugins += readMarketplace(JSON.parse(readFileSync(path, "utf8"))).plugins.length;
    } catch (error) {
      problems.push(`${path}: ${String(error)}`);
    }
  }
  console.log(`${paths.length} marketplaces, ${plugins} plugins`);
}

/** Merges each change of a SKILL.md with an edit of one line, as git does. */
function checkMerges(clones: readonly string[]): void {
  const work = mkdtempSync(join(tmpdir(), "skillhold-external-"));
  let clean = 0;
  let conflicts = 0;
  let stricter = 0;
  try {
    for (const { name, base, theirs } of clones.flatMap(changesOf).slice(0, MOST_CHANGES)) {
      const lines = base.split("\n");
      const ours = lines.with(Math.floor(lines.length / 2), "An edit of our own.").join("\n");
      const merge = mergeTrees([file(base)], [file(ours)], [file(theirs)]);
      const expected = gitMerge(work, base, ours, theirs);
      const found = merge.kind === "conflict" ? undefined : textOf(merge.files[0]?.content);
      // A conflict changes no file, so that only a clean merge can be wrong.
      if (found !== undefined && found !== expected) problems.push(`${name}: the merge differs from git's`);
      if (found === undefined && expected !== undefined) stricter += 1;
      if (found === undefined) conflicts += 1;
      else clean += 1;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.log(
    `${clones.length} clones, ${clean + conflicts} merges: ${clean} clean, ${conflicts} conflicts (${stricter} of them clean for git)`,
  );
}

interface Change {
  readonly name: string;
  readonly base: string;
  readonly theirs: string;
}

function changesOf(clone: string): readonly Change[] {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", clone, ...args], { maxBuffer: 64 * 1024 * 1024 }).toString();
  const log = git("log", "--format=%H", "--raw", "--no-abbrev", "--diff-filter=M", "--", "*SKILL.md");
  return [...log.matchAll(/^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) M\t(.+)$/gm)]
    .slice(0, MOST_CHANGES)
    .map(([, before = "", after = "", path = ""]) => ({
      name: `${clone}: ${path} ${after}`,
      base: git("cat-file", "blob", before),
      theirs: git("cat-file", "blob", after),
    }));
}

/** Undefined for a conflict. */
function gitMerge(work: string, base: string, ours: string, theirs: string): string | undefined {
  const paths = [ours, base, theirs].map((text, at) => {
    const path = join(work, String(at));
    writeFileSync(path, text);
    return path;
  });
  try {
    return execFileSync("git", ["merge-file", "-p", "--diff3", ...paths], {
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  } catch {
    return undefined;
  }
}

function file(text: string) {
  const content = Buffer.from(text);
  return {
    path: "SKILL.md",
    content,
    size: content.length,
    executable: false,
    digest: hashSkillFile(content),
  };
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === ".git" || entry.name === "node_modules" ? [] : listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

function findClones(folder: string): readonly string[] {
  if (existsSync(join(folder, ".git"))) return [folder];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => findClones(join(folder, entry.name)));
}
