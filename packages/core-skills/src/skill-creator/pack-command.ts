import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Zippable, zipSync } from "fflate";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { chooseOutput, outputOptions, writeOutput } from "../shared/output-file.ts";
import { inputError } from "../shared/script-error.ts";
import { checkSkill } from "./check-skill.ts";
import { openSkillFolder, type SkillFolder } from "./skill-folder.ts";

export const packCommand = defineCommand({
  name: "pack",
  summary: "Write a skill as a ZIP archive; the same files give the same bytes",
  operands: { label: "<folder>", min: 1, max: 1 },
  options: outputOptions,
  details: `
pack skills/weekly-report --out weekly-report.zip

A skill with errors is not packed; see check. Files that .gitignore or .skillignore names are left out, and so are
.git, node_modules and the like. Where the skillhold command is available, use "skillhold pack".`,
  async run({ operands: [path = ""], options }, io): Promise<JsonObject> {
    const output = await chooseOutput(options, [], io);
    const folder = openSkillFolder(path, io);
    const { remarks } = checkSkill(folder);
    const [error] = remarks.filter(({ level }) => level === "error");
    if (error !== undefined) {
      throw inputError(
        "SKILL_INVALID",
        `${path} is not a valid skill: ${error.message}`,
        "Run check to see every problem.",
      );
    }
    const archive = zipFolder(folder, output.absolute);
    const sha256 = createHash("sha256").update(archive).digest("hex");
    return {
      name: folder.name,
      files: folder.files.length,
      sha256,
      written: await writeOutput(output, archive),
    };
  },
});

const UNIX = 3;

/** Contract: the files are sorted by path, so that the archive does not depend on the order of the disk. */
function zipFolder({ name, files }: SkillFolder, output: string): Uint8Array {
  // ZIP stores local time without a zone, so a local date gives the same bytes in every zone.
  const mtime = new Date(1980, 0, 1);
  const parts: Zippable = {};
  // An earlier archive in the same folder is not part of the skill.
  for (const { path, absolute, isExecutable } of files.filter((file) => file.absolute !== output)) {
    const mode = isExecutable ? 0o100755 : 0o100644;
    parts[`${name}/${path}`] = [readFileSync(absolute), { os: UNIX, attrs: mode * 0x10000, mtime }];
  }
  return zipSync(parts, { level: 6 });
}
