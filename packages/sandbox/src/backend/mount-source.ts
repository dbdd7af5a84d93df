import { realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, normalize } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import type { Mount } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow, WORK } from "./bubblewrap-option.ts";

/** A mount with a verified source: a regular file or a folder, by its real path. */
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

/** Kernel interfaces and sockets of system services. */
const HOST_FOLDERS = ["/proc", "/sys", "/dev", "/run", "/var/run", "/private/var/run"];

/** Rejects mounts that would break the sandbox, regardless of the policy. Throws CONFIG_INVALID. */
export function findMount(mount: Mount): FoundMount {
  const { source, target } = mount;
  for (const path of [source, target]) {
    if (isAbsolute(path) && normalize(path) === path && !path.endsWith("/") && !path.includes("\0")) continue;
    throw new SkillError(
      "CONFIG_INVALID",
      `The mount path ${JSON.stringify(path)} is not an absolute, normalized path.`,
    );
  }
  if (target === WORK || OWN_FOLDERS.some((folder) => isBelow(target, folder))) {
    throw refuse(mount, `${target} belongs to the sandbox itself`);
  }
  return { ...mount, ...findSource(mount) };
}

/** Checks only the source, for backends that mount it at the same path. */
export function findSource(mount: Mount): Pick<FoundMount, "source" | "stats"> {
  const { source } = mount;
  const real = realPath(mount);
  if ([source, real].some((path) => HOST_FOLDERS.some((folder) => isBelow(path, folder)))) {
    throw refuse(mount, `${source} is a kernel or service folder`);
  }
  const stats = statSync(real);
  // Access to a socket or device reaches the service behind it, even read-only.
  if (!stats.isFile() && !stats.isDirectory()) {
    throw refuse(mount, `${source} is neither a regular file nor a folder`);
  }
  return { source: real, stats };
}

/**
 * Rejects a sandbox with another file or folder at a mount than the one that was checked: its path may have been replaced
 * before bubblewrap resolved it. Contract: the sandbox is set up, and its program has not started.
 */
export function rejectReplaced(pid: number, mounts: readonly FoundMount[]): void {
  // A later mount at the same place covers an earlier one.
  for (const mount of new Map(mounts.map((each) => [each.target, each])).values()) {
    const found = statSync(`/proc/${pid}/root${mount.target}`, { throwIfNoEntry: false });
    if (found?.dev === mount.stats.dev && found.ino === mount.stats.ino) continue;
    throw refuse(mount, `${mount.source} was replaced while the sandbox was set up`);
  }
}

function realPath(mount: Mount): string {
  try {
    return realpathSync(mount.source);
  } catch (error) {
    throw refuse(mount, `${mount.source} was not found (${errorCodeOf(error)})`);
  }
}

function refuse({ source, target }: Mount, problem: string): SkillError {
  return new SkillError("CONFIG_INVALID", `Invalid mount: ${problem}.`, {
    hint: "Mount another folder.",
    details: { source, target },
  });
}
