import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { buildSkills, workspacePlaces } from "../../build.ts";

export interface SandboxRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const launcher = join(import.meta.dirname, "../../../skillhold/bin/skillhold.js");

/** Builds a skill into a folder of its own, and runs its script there as a user would: `skillhold run`. */
export async function openSandbox(id: string, folder: string) {
  const skills = join(folder, "skills");
  await buildSkills({ ...workspacePlaces, skills }, [id]);
  copyFileSync(join(workspacePlaces.skills, id, "SKILL.md"), join(skills, id, "SKILL.md"));
  const options = ["--root", skills, "--no-store", "--yes-for-this-content"];
  return {
    run(more: readonly string[], argv: readonly string[], input = ""): SandboxRun {
      const words = [launcher, "run", id, `${id}.mjs`, ...options, ...more, "--", ...argv];
      const env = {
        ...process.env,
        HOME: folder,
        XDG_DATA_HOME: "",
        XDG_CONFIG_HOME: "",
        XDG_CACHE_HOME: "",
      };
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, env, input });
      return { code: status, stdout: stdout.toString(), stderr: stderr.toString() };
    },
  };
}
