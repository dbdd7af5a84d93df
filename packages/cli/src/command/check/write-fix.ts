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

/** Writes a skill's repairs atomically to its file. Returns false when the skill has no repairs. */
export function writeFix({ file, skill }: OpenedSkill): boolean {
  // Text decoded with replacement characters would not restore the original bytes.
  if (file === undefined || !skill.repaired || skill.findings.some(({ code }) => code === "NOT_UTF8"))
    return false;
  const text = fixText(skill);
  const temporary = join(dirname(file), `.SKILL.md.${process.pid}.tmp`);
  try {
    replaceFile(file, temporary, text);
  } catch (error) {
    const isTaken = systemCode(error) === "EEXIST";
    throw ioFailure(isTaken ? `${temporary} already exists` : `${file} cannot be written`, error);
  }
  return true;
}

function replaceFile(file: string, temporary: string, text: string): void {
  const old = statSync(file);
  const fd = openSync(temporary, "wx", old.mode);
  // This call created the temporary file, so it may remove it from here on.
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
    // Only root can change the owner, and not on every file system.
  }
}
