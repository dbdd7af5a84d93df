import { realpathSync } from "node:fs";
import { type ArchiveBytes, openArchiveFile } from "@skillhold/core/archive";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { formatSize } from "../../terminal/text.ts";

/** Does something with an archive that a user named by `label`, while it is open; one that is too large is not read. */
export async function withArchiveFile<Result>(
  path: string,
  label: string,
  limits: Pick<Limits, "archiveBytes">,
  use: (archive: ArchiveBytes) => Promise<Result>,
): Promise<Result> {
  const stats = statPath(path, label);
  if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
  if (!stats.isFile()) throw new SkillError("USAGE", `${label} is neither a folder nor a file.`);
  if (stats.size > limits.archiveBytes) throw tooLarge(label, stats.size, limits.archiveBytes);
  const archive = await openArchiveFile(realPathOf(path, label), { limits, label });
  try {
    return await use(archive);
  } finally {
    await archive.close();
  }
}

/** A link that the user named is what the user wants; one that takes the place of the file afterwards is not. */
function realPathOf(path: string, label: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw ioFailure(`${label} cannot be read`, error);
  }
}

function tooLarge(label: string, size: number, max: number): SkillError {
  const message = `${label} has ${formatSize(size)}, and an archive may have ${formatSize(max)} (limit archiveBytes).`;
  return new SkillError("LIMIT_EXCEEDED", message, { details: { limit: "archiveBytes", max } });
}
