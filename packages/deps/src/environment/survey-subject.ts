import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Bundle, type PackOptions, pack, treeHash } from "@skillhold/core/bundle";
import type { Library, Viewer } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import { makeStage, removeStage } from "@skillhold/sandbox/backend";
import { folderId } from "@skillhold/skill";
import type { ManifestSubject } from "./skill-manifest.ts";

/** A skill in a folder, packed and hashed in its current state. */
export async function folderSubject(
  folder: string,
  { id, ...options }: PackOptions & { readonly id?: string } = {},
): Promise<ManifestSubject> {
  const bundle = await pack(folder, options);
  const name = basename(bundle.root);
  const { hash } = await treeHash(bundle, options);
  return { id: id ?? folderId(name).id, name, treeHash: hash, open: async () => bundle };
}

/** A copy of a bundle that was made for a run. */
export function copySubject(
  { id, treeHash: hash }: { readonly id: string; readonly treeHash: string },
  folder: string,
): ManifestSubject {
  return { id, name: id, treeHash: hash, open: () => pack(folder, { shared: "none" }) };
}

/**
 * Runs `use` with a skill of a library, through the disclosure gate. The content is copied only when needed;
 * a copy with another tree hash throws.
 */
export async function withLibrarySubject<T>(
  library: Pick<Library, "read" | "copy">,
  viewer: Viewer,
  id: string,
  use: (subject: ManifestSubject) => Promise<T>,
): Promise<T> {
  const { entry, treeHash: hash } = await library.read(viewer, id, { hasFolder: false });
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
  return new SkillError("IO_FAILED", `The skill ${id} changed during the check.`, {
    hint: "Try again.",
  });
}
