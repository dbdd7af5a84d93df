import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Library, openLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { layOut, type SkillFolder } from "./trial/skill-folder.ts";

const open: (() => void | Promise<void>)[] = [];

/** Removes the folders and closes the libraries of a test. Contract: every test file calls it after each test. */
export async function cleanUp(): Promise<void> {
  for (const close of open.splice(0).toReversed()) await close();
}

/** A folder that is gone after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-eval-test-"));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

export function skillText(name: string, description: string, body = "# Steps\n"): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;
}

export const viewer = { runtime: "test" } as const;

/** A library over folders with these descriptions. */
export async function openSkills(
  descriptions: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly library: Library; readonly root: string }> {
  const root = tempFolder();
  const texts = Object.entries(descriptions).map(
    ([id, text]) => [`${id}/SKILL.md`, skillText(id, text)] as const,
  );
  writeFiles(root, { ...Object.fromEntries(texts), ...files });
  const host = nodeHost({ env: {}, platform: "linux", cwd: root });
  const library = await openLibrary({
    sources: [{ label: "t", kind: "workspace", trust: "user", root }],
    host,
  });
  open.push(() => library.close());
  return { library, root };
}

export const descriptions = {
  pdf: "Merges and splits PDF files.",
  mail: "Sends letters to people.",
  slides: "Makes presentations.",
} as const;

/** These skills, laid out for trials. */
export async function laidOut(ids: readonly string[] = Object.keys(descriptions)): Promise<SkillFolder> {
  const { library } = await openSkills(descriptions);
  return await layOut(ids, join(tempFolder(), "skills"), { library, viewer });
}

export const limits = { maxTurns: 10, maxTokens: 1_000_000, timeoutMs: 60_000 } as const;
export const openEnd = new AbortController().signal;
