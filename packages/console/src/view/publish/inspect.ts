import { IGNORE_FILES } from "@skillhold/skill";
import { listArchive, typeOf } from "./archive-list.ts";
import type { Dropped } from "./dropped.ts";
import { isCheckedFile, type ListedFile, type Listing, type ListingBounds } from "./listing.ts";
import { checkSkills, type LocalSkill } from "./local-skill.ts";
import { packFolder } from "./pack-folder.ts";

/** An archive to send, with the results of the browser's inspection. */
export interface Inspected {
  /** The archive to send. It is read once, so that the tested bytes are the published bytes. */
  readonly blob: Blob;
  readonly skills: readonly LocalSkill[];
  readonly paths: readonly string[];
  /** Why the browser could not read the archive; the gateway may still accept it. */
  readonly trouble?: string;
}

type Limits = Readonly<Record<string, number>>;

/** Packs a folder or reads an archive, and checks its skills. The module loads on the first drop. */
export async function inspect(
  dropped: Exclude<Dropped, { kind: "unknown" }>,
  limits: Limits,
): Promise<Inspected> {
  const bounds: ListingBounds = {
    isWanted: isCheckedFile,
    fileBytes: limits["skillFileBytes"] ?? 0,
    files: (limits["archiveSkills"] ?? 0) * (1 + IGNORE_FILES.length),
    unpackedBytes: limits["unpackedBytes"] ?? 0,
  };
  if (dropped.kind === "folder") {
    const blob = await packFolder(dropped.files);
    const files = await Promise.all(dropped.files.map((each) => listed(each, bounds)));
    return found(blob, { files }, limits);
  }
  const bytes = new Uint8Array(await dropped.file.arrayBuffer());
  const blob = new Blob([bytes], { type: typeOf(bytes) });
  try {
    return found(blob, await listArchive(blob, bounds), limits);
  } catch (error) {
    const trouble = error instanceof Error ? error.message : String(error);
    return { blob, skills: [], paths: [], trouble };
  }
}

function found(blob: Blob, listing: Listing, limits: Limits): Inspected {
  return { blob, skills: checkSkills(listing, limits), paths: listing.files.map(({ path }) => path) };
}

async function listed(
  { path, file }: { readonly path: string; readonly file: File },
  { isWanted, fileBytes }: ListingBounds,
): Promise<ListedFile> {
  if (!isWanted(path) || file.size > fileBytes) return { path, size: file.size };
  return { path, size: file.size, content: new Uint8Array(await file.arrayBuffer()) };
}
