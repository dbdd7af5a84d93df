import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { OpenedSkill } from "@skillhold/core/source";
import { ioFailure, systemCode } from "@skillhold/host/place";
import { fixText } from "@skillhold/skill";

/** Writes a skill's repairs into its file, so that a crash leaves the old file or the new. False when there are none. */
export function writeFix({ file, skill }: OpenedSkill): boolean {
  // Text that was decoded with replacement characters would not go back to the bytes it came from.
  if (file === undefined || !skill.repaired || skill.findings.some(({ code }) => code === "NOT_UTF8"))
    return false;
  const text = fixText(skill);
  const temporary = join(dirname(file), `.SKILL.md.${process.pid}.tmp`);
  try {
    replaceFile(file, temporary, text);
  } catch (error) {
    const isTaken = systemCode(error) === "EEXIST";
    throw ioFailure(isTaken ? `${temporary} is in the way` : `${file} cannot be written`, error);
  }
  return true;
}

function replaceFile(file: string, temporary: string, text: string): void {
  const old = statSync(file);
  const fd = openSync(temporary, "wx", old.mode);
  // From here on the temporary file is this call's own, and may be removed.
  try {
    try {
      writeFileSync(fd, text);
      keepOwner(fd, old);
      fchmodSync(fd, old.mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function keepOwner(fd: number, { uid, gid }: Stats): void {
  try {
    fchownSync(fd, uid, gid);
  } catch {
    // Only root may give a file away, and not on every disk: anyone else's fix is theirs.
  }
}
