import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Bundle, type PackOptions, pack, treeHash } from "@skillhold/core/bundle";
import type { Library, Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { makeStage, removeStage } from "@skillhold/sandbox/backend";
import { folderId } from "@skillhold/skill";
import type { ManifestSubject } from "./skill-manifest.ts";

/** A skill that lies in a folder, packed and hashed as it is now. */
export async function folderSubject(
  folder: string,
  { id, ...options }: PackOptions & { readonly id?: string } = {},
): Promise<ManifestSubject> {
  const bundle = await pack(folder, options);
  const name = basename(bundle.root);
  const { hash } = await treeHash(bundle, options);
  return { id: id ?? folderId(name).id, name, treeHash: hash, open: async () => bundle };
}

/** A copy of a bundle, as a run is given one. */
export function copySubject(
  { id, treeHash: hash }: { readonly id: string; readonly treeHash: string },
  folder: string,
): ManifestSubject {
  return { id, name: id, treeHash: hash, open: () => pack(folder, { shared: "none" }) };
}

/**
 * A skill of a library, for as long as it is used, through the gate. Its content is copied out when it has to be
 * looked into; a copy that is of another content throws.
 */
export async function withLibrarySubject<T>(
  library: Pick<Library, "read" | "copy">,
  viewer: Viewer,
  id: string,
  use: (subject: ManifestSubject) => Promise<T>,
): Promise<T> {
  const { entry, treeHash: hash } = await library.read(viewer, id);
  let stage: string | undefined;
  let bundle: Promise<Bundle> | undefined;
  const copy = async (): Promise<Bundle> => {
    stage = await makeStage();
    const folder = join(stage, "skill");
    await mkdir(folder);
    const copied = await library.copy(viewer, id, folder);
    if (copied.treeHash !== hash) throw changed(entry.id);
    return await pack(folder, { shared: "none" });
  };
  const open = (): Promise<Bundle> => {
    bundle ??= copy();
    return bundle;
  };
  try {
    return await use({ id: entry.id, name: entry.id, treeHash: hash, open });
  } finally {
    if (stage !== undefined) await removeStage(stage);
  }
}

function changed(id: string): SkillError {
  return new SkillError("IO_FAILED", `The skill ${id} was changed while it was looked at.`, {
    hint: "Try again.",
  });
}
