import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { compileCache } from "../compile-cache.ts";

const launcher = resolve(import.meta.dirname, "../../packages/skillhold/bin/skillhold.js");

/** A folder with skills, its own home, and the command that serves them. */
export function makeScene() {
  const root = mkdtempSync(join(tmpdir(), "skillhold-mcp-"));
  const write = (path: string, text: string) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const writeSkill = (id: string, description = `About ${id}.`) =>
    write(`skills/${id}/SKILL.md`, `---\nname: ${id}\ndescription: ${description}\n---\n# Steps\n`);
  writeSkill("pdf");
  write("skills/pdf/references/forms.md", "Forms.\n");
  write("skills/pdf/scripts/hello.sh", "echo hello $1\n");
  // Written last, so that the folder exists when the server starts.
  mkdirSync(join(root, "home"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), ...compileCache };
  const command = { command: process.execPath, args: [launcher, "mcp", "--root", join(root, "skills")], env };
  return {
    root,
    skills: join(root, "skills"),
    write,
    writeSkill,
    command,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
