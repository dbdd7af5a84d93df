import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";

/** The skills of a benchmark: those of a folder, or generated ones. */
export interface Corpus {
  readonly origin: "real" | "generated";
  readonly sizes: readonly number[];
  /** Writes this many skills. */
  readonly write: (root: string, size: number) => void;
}

/** Reads `[sizes…] [--corpus <folder>]`. */
export function readCorpus(args: readonly string[], usual: readonly number[]): Corpus {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { corpus: { type: "string" } },
    allowPositionals: true,
  });
  const { corpus } = values;
  const sizes = positionals.length > 0 ? positionals.map(Number) : usual;
  if (corpus === undefined) return { origin: "generated", sizes, write: writeCorpus };
  const folders = skillFolders(corpus);
  return { origin: "real", sizes, write: (root, size) => copySkills(folders, root, size) };
}

function skillFolders(corpus: string): readonly string[] {
  if (!existsSync(corpus)) throw new Error(`The folder ${corpus} does not exist.`);
  const files = readdirSync(corpus, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^|\/)skill\.md$/i.test(name),
  );
  const folders = files
    .map((file) => dirname(file))
    .filter((folder, _, all) => !all.some((other) => folder.startsWith(`${other}/`)));
  if (folders.length === 0) throw new Error(`${corpus} contains no SKILL.md.`);
  return folders.map((folder) => join(corpus, folder));
}

/** Copies the skills again and again under new names, until there are `size` of them. */
function copySkills(folders: readonly string[], root: string, size: number): void {
  for (let index = 0; index < size; index += 1) {
    const folder = folders[index % folders.length] ?? "";
    cpSync(folder, join(root, `${basename(folder)}-${index}`), { recursive: true });
  }
}

/**
 * Writes skills in the shapes of public ones: the share of each frontmatter form and of skills with subfolders is that of
 * 2,800 skills in public repositories.
 */
function writeCorpus(root: string, size: number): void {
  for (let index = 0; index < size; index += 1) {
    const folder = join(root, `skill-${index}`);
    const subfolders = foldersOf(index);
    mkdirSync(join(folder, subfolders[0] ?? ""), { recursive: true });
    for (const subfolder of subfolders) {
      mkdirSync(join(folder, subfolder), { recursive: true });
      writeFileSync(join(folder, subfolder, "detail.md"), `# Details of ${index}\n`);
    }
    const lines = "One line of the instructions that say what to do next.\n".repeat(20 + (index % 120));
    writeFileSync(join(folder, "SKILL.md"), `---\n${frontmatterOf(index)}---\n# Skill ${index}\n\n${lines}`);
  }
}

function foldersOf(index: number): readonly string[] {
  const share = (index * 37) % 100;
  if (share >= 39) return [];
  return share < 10
    ? ["references", "scripts", "assets"]
    : share < 20
      ? ["references", "scripts"]
      : ["references"];
}

const MANNER = "Handles a kind of task that comes up often. Use when someone asks for it by name";

function frontmatterOf(index: number): string {
  const name = `name: skill-${index}\n`;
  const text = `${MANNER}, by its usual abbreviation, or by the result of case ${index}.`;
  const plain = `${name}description: ${text}\n`;
  const forms = [
    { share: 50, yaml: `${plain}license: MIT\nmetadata:\n  author: someone\n  version: 1.0.${index}\n` },
    {
      share: 12,
      yaml: `${plain}metadata: {"openclaw":{"emoji":"🔍","requires":{"bins":["git"],"env":["CASE_${index}"]}}}\n`,
    },
    { share: 7, yaml: `${plain}version: 1.${index % 10}\nuser-invocable: true\n` },
    { share: 7, yaml: `${name}description: >-\n  ${MANNER},\n  or by the result of case ${index}.\n` },
    { share: 6, yaml: `${name}description: ${MANNER}: case ${index}, and others.\n` },
    { share: 4, yaml: `${name}description: ${MANNER},\n  or by the result of case ${index}.\n` },
    { share: 5, yaml: `${plain}allowed-tools:\n  - Read\n  - Grep\ntags: [one, two, case-${index}]\n` },
    { share: 4, yaml: `${plain}metadata:\n  openclaw:\n    requires:\n      bins:\n        - git\n` },
    { share: 3, yaml: `${name}description: 'It''s for case ${index}'\nlicense: MIT\n` },
    { share: 2, yaml: `${plain}metadata: &base\n  author: someone\nother: *base\n` },
  ];
  let at = (index * 61) % 100;
  for (const { share, yaml } of forms) {
    if (at < share) return yaml;
    at -= share;
  }
  return plain;
}
