import { realpathSync } from "node:fs";
import { type ArchiveBytes, openArchiveFile } from "@skillhold/core/archive";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { formatSize } from "../../terminal/text.ts";

/** Opens the archive that the user named by `label`. Contract: an archive above the limit is not read. */
export async function withArchiveFile<Result>(
  path: string,
  label: string,
  limits: Pick<Limits, "archiveBytes">,
  use: (archive: ArchiveBytes) => Promise<Result>,
): Promise<Result> {
  const stats = statPath(path, label);
  if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
  if (!stats.isFile()) throw new SkillError("USAGE", `${label} is neither a folder nor a regular file.`);
  if (stats.size > limits.archiveBytes) throw tooLarge(label, stats.size, limits.archiveBytes);
  const archive = await openArchiveFile(realPathOf(path, label), { limits, label });
  try {
    return await use(archive);
  } finally {
    await archive.close();
  }
}

/** Follows a link that the user named, but not one that replaces the file later. */
function realPathOf(path: string, label: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw ioFailure(`${label} cannot be read`, error);
  }
}

function tooLarge(label: string, size: number, max: number): SkillError {
  const message = `${label} has ${formatSize(size)}, more than the limit of ${formatSize(max)} (archiveBytes).`;
  return new SkillError("LIMIT_EXCEEDED", message, { details: { limit: "archiveBytes", max } });
}
