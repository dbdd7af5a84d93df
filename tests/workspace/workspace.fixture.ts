import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A workspace's folder that is removed after the test. */
export class WorkspaceFolder {
  readonly path: string;

  constructor(name = "seo") {
    const parent = mkdtempSync(join(tmpdir(), "skillhold-workspace-"));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    this.path = join(parent, name);
    mkdirSync(this.path);
  }

  write(path: string, text: string): this {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text);
    return this;
  }

  skill(name: string, body = `Do ${name}.`): this {
    return this.write(
      `skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`,
    );
  }

  config(skills: readonly string[], rest = ""): this {
    return this.write(
      "config.yaml",
      `name: ${this.path.split("/").at(-1)}\nskills: [${skills.join(", ")}]\n${rest}`,
    );
  }
}
