import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { readTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";

/** What became of an archive: `broken` says which promise was not kept. */
export type Trial =
  | { readonly outcome: "accepted" | "refused" }
  | { readonly outcome: "broken"; readonly why: string };

/** Unpacks below a place of its own, so that whatever is written anywhere in there is seen. */
export async function tryArchive(archive: Uint8Array, base: string): Promise<Trial> {
  const place = mkdtempSync(join(base, "trial-"));
  const folder = join(place, "a", "b");
  mkdirSync(folder, { recursive: true });
  try {
    const trial = await judge(archive, folder);
    const strays = [...readdirSync(place), ...readdirSync(join(place, "a"))].filter(
      (name) => name !== "a" && name !== "b",
    );
    return strays.length === 0 ? trial : { outcome: "broken", why: `it wrote ${strays.join(", ")} outside` };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function judge(archive: Uint8Array, folder: string): Promise<Trial> {
  try {
    const { files } = await unpack(archive, folder);
    const listed = files.map(({ path, size, executable }) => `${path} ${size} ${executable}`).sort();
    const found = readTree(folder).map(
      ({ path, content, executable }) => `${path} ${content.length} ${executable}`,
    );
    const isAsListed = JSON.stringify(found.sort()) === JSON.stringify(listed);
    return isAsListed
      ? { outcome: "accepted" }
      : { outcome: "broken", why: `it listed ${listed} and wrote ${found}` };
  } catch (error) {
    const isRefusal =
      error instanceof SkillError && ["ARCHIVE_INVALID", "LIMIT_EXCEEDED"].includes(error.code);
    if (!isRefusal)
      return { outcome: "broken", why: `it threw ${error instanceof Error ? error.stack : error}` };
    const left = readdirSync(folder);
    return left.length === 0
      ? { outcome: "refused" }
      : { outcome: "broken", why: `it left ${left.join(", ")}` };
  }
}
