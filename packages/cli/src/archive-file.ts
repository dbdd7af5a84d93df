import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { ioFailure } from "./io-failure.ts";
import { statPath } from "./stat-path.ts";
import { formatSize } from "./text.ts";

/** The bytes of an archive that a user named by `label`; one that is too large is not read. */
export async function readArchiveFile(
  path: string,
  label: string,
  { archiveBytes }: Pick<Limits, "archiveBytes">,
): Promise<Uint8Array> {
  if (statPath(path, label) === undefined)
    throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
  // Without O_NONBLOCK a pipe that nobody writes to would be waited for.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw ioFailure(`${label} cannot be read`, error);
    },
  );
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new SkillError("USAGE", `${label} is neither a folder nor a file.`);
    if (stats.size > archiveBytes) throw tooLarge(label, stats.size, archiveBytes);
    const bytes = await handle.readFile();
    if (bytes.length > archiveBytes) throw tooLarge(label, bytes.length, archiveBytes);
    return bytes;
  } catch (error) {
    throw error instanceof SkillError ? error : ioFailure(`${label} cannot be read`, error);
  } finally {
    await handle.close();
  }
}

function tooLarge(label: string, size: number, max: number): SkillError {
  const message = `${label} has ${formatSize(size)}, and an archive may have ${formatSize(max)} (limit archiveBytes).`;
  return new SkillError("LIMIT_EXCEEDED", message, { details: { limit: "archiveBytes", max } });
}
