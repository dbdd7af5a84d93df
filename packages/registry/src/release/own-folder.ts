import { chmod, lstat, mkdir } from "node:fs/promises";
import { SkillError } from "@skillhold/protocol/error";

/**
 * Makes a folder that nobody else reads or writes. One that is there is closed to others who could read it; one that is
 * a link, someone else's, or that others can write to is refused: what is in it may be theirs.
 */
export async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new SkillError(
      "IO_FAILED",
      `The folder ${folder} cannot be made, and so no skill laid out in it.`,
      {
        details: { path: folder },
        cause: error,
      },
    );
  });
  const stats = await lstat(folder);
  const user = process.geteuid?.();
  // Windows has neither owners nor modes of this kind.
  if (user === undefined && stats.isDirectory()) return;
  const isOurs = stats.uid === user || stats.uid === 0;
  if (!stats.isDirectory() || !isOurs || (stats.mode & 0o022) !== 0)
    throw new SkillError("CONFIG_INVALID", `The folder ${folder} is a link, or not ours alone to write to.`, {
      hint: "Make it a folder that is yours alone (mode 700), or delete it.",
      details: { folder },
    });
  if ((stats.mode & 0o077) !== 0 && stats.uid === user) await chmod(folder, 0o700);
}
