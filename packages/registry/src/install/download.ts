import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ArchiveBytes, archiveInMemory, unpack } from "@skillhold/core/archive";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findArchiveSkills } from "../release/archive-skill.ts";
import {
  type FetchedSkill,
  makeWork,
  type OfferedSkill,
  type Resolved,
  type SkillOrigin,
  type SourcePorts,
} from "./source.ts";

/** An unpacked download: an archive of skills, or one SKILL.md. */
export interface Download {
  readonly folder: string;
  readonly digest: Digest;
  readonly skills: readonly OfferedSkill[];
  /** Every file that was laid out. */
  readonly paths: readonly string[];
}

export function sha256(bytes: Uint8Array): Digest {
  // The hash gives 64 lower-case hexadecimal digits.
  return `sha256:${hash("sha256", bytes, "hex")}` as Digest;
}

/** Lays downloaded bytes out, as what their first bytes say they are. */
export async function layOutDownload(bytes: Uint8Array, ports: SourcePorts): Promise<Download> {
  if (isArchive(bytes)) return await unpackArchive(archiveInMemory(bytes), ports);
  if (!/^\uFEFF?---\s/.test(Buffer.from(bytes.subarray(0, 16)).toString("utf8")))
    throw new SkillError("ARCHIVE_INVALID", "The download is neither an archive nor a SKILL.md.", {
      hint: "Name a ZIP, a tar.gz or the raw address of a SKILL.md.",
    });
  const folder = makeWork(ports, "text");
  writeFileSync(join(folder, "SKILL.md"), bytes);
  return { folder, digest: sha256(bytes), skills: [{ name: "", path: "." }], paths: ["SKILL.md"] };
}

export async function unpackArchive(archive: ArchiveBytes, ports: SourcePorts): Promise<Download> {
  const { limits, signal } = ports;
  const folder = makeWork(ports, "archive");
  const { digest, files } = await unpack(archive, folder, {
    limits,
    ...(signal === undefined ? {} : { signal }),
  });
  const found = await findArchiveSkills(folder, limits);
  const skills = found.map(({ path }) => ({ path, name: nameOf(path) }));
  return { folder, digest, skills, paths: files.map(({ path }) => path) };
}

/** A source whose skills are already in a folder. */
export function laidOut(
  { folder, skills }: Pick<Download, "folder" | "skills">,
  originOf: (skill: OfferedSkill) => SkillOrigin,
  notes: readonly string[] = [],
): Resolved {
  return {
    skills,
    notes,
    fetch: async (chosen) =>
      chosen.map(
        (skill): FetchedSkill => ({ ...skill, folder: join(folder, skill.path), origin: originOf(skill) }),
      ),
  };
}

function isArchive(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  const isTar = Buffer.from(bytes.subarray(257, 262)).toString("latin1") === "ustar";
  return head.startsWith("PK\x03\x04") || head.startsWith("\x1f\x8b\x08") || isTar;
}

function nameOf(path: string): string {
  return path === "." ? "" : (path.split("/").at(-1) ?? "");
}
