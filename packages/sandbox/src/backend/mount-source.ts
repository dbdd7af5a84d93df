import { realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { Mount } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow, WORK } from "./bubblewrap-option.ts";

/** A mount whose source was looked at: a regular file or a folder, by its real path. */
export interface FoundMount extends Mount {
  readonly stats: Stats;
}

const OWN_FOLDERS = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib64",
  "/etc",
  "/proc",
  "/sys",
  "/dev",
  "/run",
  "/skill",
];

/** What lies there is the kernel's, or a way to speak with the system's services. */
const HOST_FOLDERS = ["/proc", "/sys", "/dev", "/run", "/var/run", "/private/var/run"];

/**
 * What may be mounted is for the policy to say; what is refused here would take the sandbox apart, whoever allowed
 * it. Throws CONFIG_INVALID.
 */
export function findMount(mount: Mount): FoundMount {
  const { source, target } = mount;
  for (const path of [source, target]) {
    if (isAbsolute(path) && normalize(path) === path && !path.endsWith("/") && !path.includes("\0")) continue;
    throw new SkillError("CONFIG_INVALID", `A mount needs absolute, plain paths: ${JSON.stringify(path)}.`);
  }
  if (target === WORK || OWN_FOLDERS.some((folder) => isBelow(target, folder))) {
    throw refuse(mount, `${target} is part of the sandbox itself`);
  }
  return { ...mount, ...findSource(mount) };
}

/** The part of it that counts where nothing is moved. */
export function findSource(mount: Mount): Pick<FoundMount, "source" | "stats"> {
  const { source } = mount;
  const real = realPath(mount);
  if ([source, real].some((path) => HOST_FOLDERS.some((folder) => isBelow(path, folder)))) {
    throw refuse(mount, `${source} is the running system's and not of a disk`);
  }
  const stats = statSync(real);
  // Who can open a socket or a device can speak with what is behind it, whether it may write or not.
  if (!stats.isFile() && !stats.isDirectory()) {
    throw refuse(mount, `${source} is neither a regular file nor a folder`);
  }
  return { source: real, stats };
}

function realPath(mount: Mount): string {
  try {
    return realpathSync(mount.source);
  } catch (error) {
    throw refuse(mount, `${mount.source} cannot be found (${errorCodeOf(error)})`);
  }
}

function refuse({ source, target }: Mount, problem: string): SkillError {
  return new SkillError("CONFIG_INVALID", `The mount cannot be made: ${problem}.`, {
    hint: "Choose another folder.",
    details: { source, target },
  });
}
