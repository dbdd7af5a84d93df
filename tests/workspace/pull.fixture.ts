import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PulledSize {
  readonly workspaces: number;
  readonly skills: number;
}

/** A git repository of workspaces and a clone of it, which a pull brings up to date. */
export class PulledWorkspaces {
  readonly #base = mkdtempSync(join(tmpdir(), "skillhold-pull-"));
  readonly #size: PulledSize;
  /** The folders of the workspaces in the clone. */
  readonly folders: readonly string[];

  constructor(size: PulledSize) {
    this.#size = size;
    mkdirSync(this.#origin);
    this.#git(this.#origin, "init", "-q");
    this.commit("first");
    this.#git(this.#base, "clone", "-q", this.#origin, "clone");
    this.folders = this.#names.map((name) => join(this.#base, "clone", name));
  }

  /** Changes the config, the prompt and every skill of each workspace in the origin. */
  commit(text: string): void {
    for (const name of this.#names) {
      const write = (path: string, content: string) => writeFileSync(join(this.#origin, name, path), content);
      const skills = Array.from({ length: this.#size.skills }, (_, at) => `skill-${at}`);
      mkdirSync(join(this.#origin, name), { recursive: true });
      write("config.yaml", `name: ${name}\ndescription: ${text}\nskills: [${skills.join(", ")}]\n`);
      write("system-prompt.md", `You are ${name}, ${text}.\n`);
      for (const skill of skills) {
        mkdirSync(join(this.#origin, name, "skills", skill), { recursive: true });
        write(
          `skills/${skill}/SKILL.md`,
          `---\nname: ${skill}\ndescription: About ${skill}, ${text}.\n---\n${text}\n`,
        );
      }
    }
    this.#git(this.#origin, "add", "-A");
    this.#git(this.#origin, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", text);
  }

  pull(): void {
    this.#git(join(this.#base, "clone"), "pull", "-q", "--ff-only");
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true });
  }

  get #origin(): string {
    return join(this.#base, "origin");
  }

  get #names(): readonly string[] {
    return Array.from({ length: this.#size.workspaces }, (_, at) => `workspace-${at}`);
  }

  #git(cwd: string, ...args: readonly string[]): void {
    const env = { PATH: process.env["PATH"], HOME: this.#base, GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", args, { cwd, env, stdio: "pipe" });
  }
}
