import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isExecutable } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";

/** The facts about the machine that locate bubblewrap or its package. */
export interface BubblewrapHost {
  readonly platform: string;
  /** The value of PATH. */
  readonly path: string;
  /** The os-release file. */
  readonly osRelease: string;
  readonly folders: readonly string[];
}

export function currentHost(): BubblewrapHost {
  return {
    platform: process.platform,
    path: process.env["PATH"] ?? "",
    osRelease: "/etc/os-release",
    folders: ["/usr/bin", "/bin", "/usr/local/bin"],
  };
}

/** Returns the path of bubblewrap. Throws SANDBOX_UNAVAILABLE with the install command for this system. */
export function findBubblewrap(host: BubblewrapHost = currentHost()): string {
  if (host.platform !== "linux") {
    throw new SkillError("SANDBOX_UNAVAILABLE", `Bubblewrap runs only on Linux, not on ${host.platform}.`, {
      hint: "Use the sandbox-runtime backend on this system.",
    });
  }
  // System folders first. Relative entries of PATH are ignored, because they depend on the current folder.
  const folders = [...host.folders, ...host.path.split(":").filter(isAbsolute)];
  const found = folders.map((folder) => join(folder, "bwrap")).find(isExecutable);
  if (found !== undefined) return found;
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    "Bubblewrap (bwrap) is not installed, and scripts run only in a sandbox.",
    {
      hint: `Install it: ${installCommand(host.osRelease)}`,
    },
  );
}

const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:debian|ubuntu|linuxmint|pop|raspbian|kali)$/, "apt-get install"],
  [/^(?:fedora|rhel|centos|rocky|almalinux|amzn)$/, "dnf install"],
  [/^(?:alpine|postmarketos|wolfi)$/, "apk add"],
  [/^(?:arch|archarm|manjaro|endeavouros)$/, "pacman -S"],
  [/^(?:suse|opensuse.*|sles|sled)$/, "zypper install"],
  [/^gentoo$/, "emerge"],
  [/^void$/, "xbps-install"],
  [/^nixos$/, "nix-env -iA nixos."],
];

/**
 * The command that installs a package on the system of this os-release file. Most systems use the same
 * package name.
 */
export function installCommand(osRelease: string, name = "bubblewrap"): string {
  const ids = readIds(osRelease);
  for (const id of ids) {
    const command = COMMANDS.find(([pattern]) => pattern.test(id))?.[1];
    if (command !== undefined) return command.endsWith(".") ? `${command}${name}` : `${command} ${name}`;
  }
  return `the package ${name}, with this system's package manager`;
}

/** The system's own id, then the ids of similar systems. */
function readIds(file: string): readonly string[] {
  const text = readText(file);
  return ["ID", "ID_LIKE"].flatMap((key) => {
    const value = new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1] ?? "";
    return value.replace(/["']/g, "").toLowerCase().split(/\s+/).filter(Boolean);
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Without the file, the advice is generic.
    return "";
  }
}
