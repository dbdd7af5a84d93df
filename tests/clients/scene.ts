import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const launcher = resolve(import.meta.dirname, "../../packages/skillhold/bin/skillhold.js");

/** More skills than fit with their whole descriptions, so that the catalogue is shortened. */
export const otherIds = [
  "audio",
  "calendar",
  "contract",
  "figma",
  "invoice",
  "ledger",
  "mailing",
  "payroll",
  "survey",
].map((word) => `${word}-helper`);
export const skillIds = ["greet", "wordcount", "toolbox", ...otherIds];

export interface Scene {
  readonly root: string;
  readonly home: string;
  /** The folder that the client starts in. */
  readonly project: string;
  write(path: string, text: string | Uint8Array): void;
  /** Runs a command of Skillhold with the home of the client. */
  skillhold(...args: readonly string[]): string;
  remove(): void;
}

/** A home, a project and skills for one client. Codex rejects a home in the temporary folder. */
export function makeScene(cache: string): Scene {
  const root = mkdtempSync(join(cache, "trial-"));
  const write = (path: string, content: string | Uint8Array) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const skill = (id: string, description: string, body: string) =>
    write(`skills/${id}/SKILL.md`, `---\nname: ${id}\ndescription: ${description}\n---\n${body}\n`);
  skill("greet", "Greets people. Use it when a person is named.", "Greet: $ARGUMENTS!");
  write("skills/greet/assets/logo.bin", new Uint8Array(30_000).fill(200));
  skill("wordcount", "Counts words.", "Run scripts/count.mjs.");
  write("skills/wordcount/scripts/count.mjs", 'console.log("counted", process.argv.slice(2).length);\n');
  skill("toolbox", "Adds numbers.", "Use the tool add.");
  write(
    "skills/toolbox/tools/add.mjs",
    'export const add = { description: "Adds.", inputSchema: { type: "object", properties: { a: { type: "number" } } }, run: ({ a }) => ({ sum: a + 41 }) };\n',
  );
  for (const id of otherIds)
    skill(
      id,
      `Helps with ${id}. ${"Use it when the user mentions the topic in any form. ".repeat(8)}`,
      "# Steps",
    );
  mkdirSync(join(root, "project"));
  const [home, project] = [join(root, "home"), join(root, "project")];
  mkdirSync(home);
  const env = { PATH: process.env["PATH"], HOME: home };
  return {
    root,
    home,
    project,
    write,
    skillhold: (...args) =>
      execFileSync(process.execPath, [launcher, ...args], {
        cwd: project,
        env,
        encoding: "utf8",
        stdio: "pipe",
      }),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
