import { renameSync, rmSync, writeFileSync } from "node:fs";
import { ioFailure } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/** What kind of thing to write: as it is said, or as the ending of the name says, or the first. */
export function chooseFormat<Format extends string>(
  out: string | undefined,
  said: string | undefined,
  formats: readonly [Format, ...Format[]],
): Format {
  const chosen = formats.find((format) => format === said);
  if (chosen !== undefined) return chosen;
  if (out === undefined) return formats[0];
  if (out.endsWith(".tgz")) return formats.find((format) => format === "tar.gz") ?? formats[0];
  const byEnding = formats.find((format) => out.endsWith(`.${format}`));
  if (byEnding !== undefined) return byEnding;
  throw new SkillError("USAGE", `What to write to ${out} cannot be told from its ending.`, {
    hint: `Give --format: ${formats.join(", ")}.`,
  });
}

/** Writes a file that is there whole or not at all; one that is there is replaced. */
export function writeOutFile(path: string, label: string, bytes: Uint8Array): void {
  const partial = `${path}.partial-${process.pid}`;
  try {
    writeFileSync(partial, bytes, { flag: "wx" });
    renameSync(partial, path);
  } catch (error) {
    removePartial(partial);
    throw ioFailure(`${label} cannot be written`, error);
  }
}

function removePartial(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What kept it from being written keeps it from being removed, and is told.
  }
}
