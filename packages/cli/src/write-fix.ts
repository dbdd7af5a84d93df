import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { OpenedSkill } from "@skillhold/core";
import { fixText } from "@skillhold/core/skill";
import { SkillError } from "@skillhold/protocol/error";

/** Writes a skill's repairs into its file, so that a crash leaves the old file or the new. False when there are none. */
export function writeFix({ file, skill }: OpenedSkill): boolean {
  // Text that was decoded with replacement characters would not go back to the bytes it came from.
  if (file === undefined || !skill.repaired || skill.findings.some(({ code }) => code === "NOT_UTF8"))
    return false;
  const temporary = join(dirname(file), `.SKILL.md.${process.pid}.tmp`);
  try {
    const { mode } = statSync(file);
    const fd = openSync(temporary, "wx", mode);
    try {
      writeFileSync(fd, fixText(skill));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    chmodSync(temporary, mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new SkillError("IO_FAILED", `${file} cannot be written.`, { cause: error });
  }
  return true;
}
