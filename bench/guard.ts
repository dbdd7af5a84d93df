import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { scanGuard } from "@skillhold/deps/guard-scan";
import { parseCode } from "@skillhold/deps/test/guard-scan/code-tree";
import { WorkTime } from "@skillhold/deps/test/scan/work-time";
import type { GuardFile } from "@skillhold/skill/guard";
import { splitMarkdown } from "@skillhold/skill/test/guard/markdown-part";
import { median } from "./measure.ts";

/** Milliseconds a skill over the corpus, and the ratio to parsing the same code with the same grammars. */
export async function benchGuard(): Promise<void> {
  const skills = corpusFolders().map(readFolder);
  if (skills.length === 0) return console.log("guard: the corpus is not here");
  for (const files of skills.slice(0, 20)) await scanGuard(files);
  const scans: number[] = [];
  const parses: number[] = [];
  for (const files of skills) {
    parses.push(await time(() => parseAll(files)));
    scans.push(await time(() => scanGuard(files)));
  }
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const sorted = scans.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  console.log(
    `guard: ${skills.length} skills, ms a skill: median ${median(scans).toFixed(1)}, p95 ${p95.toFixed(1)}; ratio to parsing ${(sum(scans) / sum(parses)).toFixed(1)}`,
  );
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const spent = new WorkTime();
  await work();
  return spent.ms;
}

const LANGUAGES = {
  bash: "bash",
  sh: "bash",
  shell: "bash",
  python: "python",
  javascript: "javascript",
  typescript: "typescript",
} as const;

async function parseAll(files: readonly GuardFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    if (!path.endsWith(".md")) continue;
    for (const { language, text } of splitMarkdown(new TextDecoder().decode(bytes)).code) {
      const known = Object.entries(LANGUAGES).find(([name]) => name === language)?.[1];
      if (known !== undefined) await parseCode(known, text, 400);
    }
  }
}

function corpusFolders(): readonly string[] {
  const root = resolve(import.meta.dirname, "../../shared/corpus/text");
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(root).flatMap((id) => readdirSync(join(root, id)).map((name) => join(root, id, name)));
}

function readFolder(folder: string): readonly GuardFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(folder, path), bytes: readFileSync(path) }));
}
