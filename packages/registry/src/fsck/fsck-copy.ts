import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { isCopyOf } from "../release/copy-folder.ts";
import { readBundle } from "../release/read-bundle.ts";
import type { FsckFindings } from "./fsck-finding.ts";

const HEX = /^[0-9a-f]{64}$/;

/** Checks the copies of trees in a folder. Subjects are paths relative to it. */
export async function checkCopies(
  folder: string,
  before: Date,
  findings: FsckFindings,
  { store, limits }: RegistryContext,
): Promise<void> {
  for (const name of await listNames(folder)) {
    if (name.startsWith(".new-")) {
      const stats = await lstat(join(folder, name)).catch(() => undefined);
      if (stats !== undefined && stats.mtime < before)
        findings.add("COPY_ORPHAN", name, "The copy is incomplete.");
    }
    if (!HEX.test(name)) continue;
    const files = await store.findTree(asDigest(name));
    if (files === undefined || combineDigests(files) !== asDigest(name)) {
      if (files === undefined) findings.add("COPY_ORPHAN", name, "The tree of this copy no longer exists.");
      continue;
    }
    for (const id of await listNames(join(folder, name))) {
      const path = join(await realpath(folder), name, id);
      if (!(await isCopyOf(path, files, limits.bundleFiles)))
        findings.add("COPY_DAMAGED", `${name}/${id}`, "The copy does not match its hash.");
    }
  }
}

/** The files of a tree from a copy that matches its hash exactly. */
export async function readCopy(
  folder: string,
  hash: Digest,
  { limits }: RegistryContext,
): Promise<readonly StagedFile[] | undefined> {
  const place = join(folder, hash.slice("sha256:".length));
  for (const id of await listNames(place)) {
    const content = await readBundle(join(place, id), { within: join(place, id) }, limits).catch(
      () => undefined,
    );
    if (content !== undefined && combineDigests(content.files) === hash) return content.files;
  }
  return undefined;
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

function asDigest(hex: string): Digest {
  // The caller has matched the 64 digits.
  return `sha256:${hex}` as Digest;
}
