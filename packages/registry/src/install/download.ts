import { hash } from "node:crypto";
import { join } from "node:path";
import { type ArchiveBytes, archiveInMemory, unpack } from "@skillhold/core/archive";
import type { MemoryTree } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findArchiveSkills } from "../release/archive-skill.ts";
import { treeOfFiles } from "../release/stage.ts";
import type { FetchedSkill, OfferedSkill, Resolved, SkillOrigin, SourcePorts } from "./source.ts";

/** An unpacked download: an archive of skills, or one SKILL.md. */
export interface Download {
  readonly tree: MemoryTree;
  readonly digest: Digest;
  readonly skills: readonly OfferedSkill[];
}

export function sha256(bytes: Uint8Array): Digest {
  // The hash gives 64 lower-case hexadecimal digits.
  return `sha256:${hash("sha256", bytes, "hex")}` as Digest;
}

/** Reads downloaded bytes as an archive or as one SKILL.md, by their first bytes. */
export async function readDownload(bytes: Uint8Array, ports: SourcePorts): Promise<Download> {
  if (isArchive(bytes)) return await unpackArchive(archiveInMemory(bytes), ports);
  if (!/^\uFEFF?---\s/.test(Buffer.from(bytes.subarray(0, 16)).toString("utf8")))
    throw new SkillError("ARCHIVE_INVALID", "The download is neither an archive nor a SKILL.md.", {
      hint: "Name a ZIP, a tar.gz or the raw address of a SKILL.md.",
    });
  const tree = treeOfFiles([{ path: "SKILL.md", content: bytes }], ports.limits);
  return { tree, digest: sha256(bytes), skills: [{ name: "", path: "." }] };
}

export async function unpackArchive(archive: ArchiveBytes, ports: SourcePorts): Promise<Download> {
  const { limits, signal } = ports;
  const { digest, tree } = await unpack(archive, { limits, ...(signal === undefined ? {} : { signal }) });
  const found = await findArchiveSkills(tree, limits);
  const skills = found.map(({ path }) => ({ path, name: nameOf(path) }));
  return { tree, digest, skills };
}

interface OfferOptions {
  readonly notes?: readonly string[];
  readonly attested?: FetchedSkill["attested"];
}

/** A source whose skills are already on the disk or in memory. */
export function offer(
  place: { readonly folder: string } | { readonly tree: MemoryTree },
  skills: readonly OfferedSkill[],
  originOf: (skill: OfferedSkill) => SkillOrigin,
  { notes = [], attested }: OfferOptions = {},
): Resolved {
  const { folder, ...within } = "tree" in place ? { folder: place.tree.root, tree: place.tree } : place;
  return {
    skills,
    notes,
    fetch: async (chosen) =>
      chosen.map(
        (skill): FetchedSkill => ({
          ...skill,
          ...within,
          folder: join(folder, skill.path),
          origin: originOf(skill),
          attested,
        }),
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
