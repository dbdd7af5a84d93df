import { statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { openArchiveFile } from "@skillhold/core/archive";
import { findSkillFolders } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { offer, unpackArchive } from "./download.ts";
import type { InstallSource, Resolved, SourcePorts } from "./source.ts";
import type { LocalSpec } from "./source-spec.ts";

/** A folder of this machine that is or holds skills, or an archive. */
export const localSource: InstallSource<LocalSpec> = {
  resolve: async ({ path }, ports) => {
    const place = resolve(
      ports.settings.cwd,
      path.startsWith("~/") ? join(homeFolder(), path.slice(2)) : path,
    );
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${path} does not exist.`);
    return stats.isDirectory() ? await resolveFolder(place, ports) : await resolveArchive(place, ports);
  },
};

function homeFolder(): string {
  try {
    return homedir();
  } catch (error) {
    // Containers often run under a numeric user id without an account.
    throw new SkillError("CONFIG_INVALID", "No home folder was found.", { hint: "Set HOME.", cause: error });
  }
}

async function resolveFolder(folder: string, { limits, signal }: SourcePorts): Promise<Resolved> {
  const found = await findSkillFolders(folder, limits, signal === undefined ? {} : { signal });
  const top = found.skills.find(({ path }) => path === ".");
  const skills = (top === undefined ? found.skills : [top]).map(({ path }) => ({
    path,
    name: path === "." ? basename(folder) : basename(path),
  }));
  const notes = found.problems.map(({ path, message }) => `${path}: ${message}`);
  return offer(
    { folder },
    skills,
    ({ path }) => ({
      source: "folder",
      origin: basename(folder),
      ...(path === "." ? {} : { path }),
      verified: "none",
    }),
    { notes },
  );
}

async function resolveArchive(file: string, ports: SourcePorts): Promise<Resolved> {
  const { limits } = ports;
  const opened = await openArchiveFile(file, { limits, label: basename(file) });
  try {
    const download = await unpackArchive(opened, ports);
    return offer(download, download.skills, ({ path }) => ({
      source: "archive",
      origin: basename(file),
      ...(path === "." ? {} : { path }),
      archiveDigest: download.digest,
      verified: "none",
    }));
  } finally {
    await opened.close();
  }
}
