import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import type { Mount, SandboxPaths, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";

const SKILL = "/skill";
export const WORK = "/work";

/** The program's user id inside the sandbox, independent of its user id on the host. */
const USER = "1000";
export const passwdFile = `skill:x:${USER}:${USER}:skill:${WORK}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
export const groupFile = `skill:x:${USER}:\nnogroup:x:65534:\n`;

export const hostsFile = "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 skill\n";

/** Descriptors that control bubblewrap. They are closed before the program starts. */
export const control = {
  /** One digit each, because shells require it. */
  leash: 7,
  egress: 8,
  gate: 9,
  block: 20,
  status: 21,
  options: 22,
  seccomp: 23,
  passwd: 24,
  group: 25,
  hosts: 26,
} as const;

/**
 * Waits for a signal, then becomes the program. Bubblewrap continues when its controlling process dies; with
 * this prefix, the program does not start then.
 */
export const gatePrefix = [
  "/bin/sh",
  "-c",
  `read -r go <&${control.gate} && exec "$@" ${control.gate}<&-`,
  "gate",
] as const;

/**
 * Starts bubblewrap with a second process that ends the process group when this process dies during the setup. Bubblewrap
 * alone would die before it releases its first process, which would then wait forever.
 */
export const leashPrefix = [
  "/bin/sh",
  "-c",
  `{ read -r done <&${control.leash} || kill -KILL 0; } & exec "$@" ${control.leash}<&-`,
  "leash",
] as const;

const MB = 1024 * 1024;
const SHARED_MEMORY = 64 * MB;
const RUN_FOLDER = MB;

const SYSTEM_LINKS = ["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"];
/** Files that programs need. The list is short because each mount takes a sixth of a millisecond. */
const SYSTEM_FILES = [
  "ld.so.cache",
  "alternatives",
  "localtime",
  "ssl/openssl.cnf",
  "crypto-policies",
  "pki",
];
/** The certificates that programs trust; names are resolved by the proxy. */
const NETWORK_FILES = ["nsswitch.conf", "ssl/certs", "ssl/cert.pem", "ca-certificates"];

interface RootOptions {
  /** An empty folder that shows that the root is complete. */
  readonly marker: string;
  /** Whether the program is root on the host. */
  readonly isRoot: boolean;
}

/**
 * The bubblewrap options of one run. The root contains only the listed paths, and all except the private
 * folders are read-only. The options are passed through a descriptor, because every user of the host can read
 * a command line, and variables may be secrets.
 */
export function bubblewrapOptions(
  spec: Pick<SandboxSpec, "limits" | "network" | "skill">,
  mounts: readonly Mount[],
  env: Readonly<Record<string, string>>,
  { marker, isRoot }: RootOptions,
): readonly string[] {
  const { limits } = spec;
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--uid", USER, "--gid", USER],
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--clearenv", "--hostname", "skill"],
    ...systemRoot(spec.network !== "none"),
    // Programs need no write access to /proc, and root owns much of it when root starts the run.
    ...["--proc", "/proc", ...(isRoot ? hiddenFiles() : []), "--remount-ro", "/proc"],
    // A writable device folder would be a disk without a limit.
    ...["--dev", "/dev", ...privateFolder("/dev/shm", Math.min(SHARED_MEMORY, limits.memoryBytes), "1777")],
    ...["--remount-ro", "/dev"],
    ...privateFolder("/tmp", limits.diskBytes, "1777"),
    ...privateFolder("/run", RUN_FOLDER, "0755"),
    ...privateFolder(WORK, limits.diskBytes, "0700"),
    ...["--dir", marker],
    ...["--ro-bind", spec.skill, SKILL],
    ...mounts.flatMap(({ source, target, isWritable }) => [
      isWritable ? "--bind" : "--ro-bind",
      source,
      target,
    ]),
    ...systemFile(control.passwd, "/etc/passwd"),
    ...systemFile(control.group, "/etc/group"),
    ...systemFile(control.hosts, "/etc/hosts"),
    ...["--remount-ro", "/", "--chdir", WORK],
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--seccomp", String(control.seccomp)],
    ...["--block-fd", String(control.block), "--json-status-fd", String(control.status)],
  ];
}

function systemRoot(hasNetwork: boolean): readonly string[] {
  const files = hasNetwork ? [...SYSTEM_FILES, ...NETWORK_FILES] : SYSTEM_FILES;
  return [
    ...["--ro-bind", "/usr", "/usr", "--perms", "0755", "--dir", "/etc"],
    ...SYSTEM_LINKS.flatMap(systemFolder),
    ...files.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
  ];
}

/** These are links into /usr on most systems, and separate folders on others. */
function systemFolder(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}

/** Lists of keys, which show those of root. */
const KEY_FILES = ["keys", "key-users"];

/** Covers the files of the kernel that only root can read; the program has root's user id there. */
function hiddenFiles(): readonly string[] {
  const names = readdirSync("/proc").filter((name) => KEY_FILES.includes(name) || isOfRoot(`/proc/${name}`));
  return names.flatMap((name) => ["--ro-bind", "/dev/null", `/proc/${name}`]);
}

function isOfRoot(path: string): boolean {
  if (/^\/proc\/\d/.test(path)) return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o004) === 0;
}

function privateFolder(path: string, size: number, mode: string): readonly string[] {
  return ["--perms", mode, "--size", String(size), "--tmpfs", path];
}

function systemFile(descriptor: number, path: string): readonly string[] {
  return ["--perms", "0444", "--file", String(descriptor), path];
}

export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64"];

/** Maps host paths of a run to paths inside the sandbox. */
export function sandboxPaths(spec: SandboxSpec): SandboxPaths {
  const placed = [...(spec.runtimes ?? []), ...spec.mounts, { source: spec.skill, target: SKILL }];
  return {
    skill: SKILL,
    work: WORK,
    of: (hostPath) => {
      const found = placed.find(({ source }) => isBelow(hostPath, source));
      if (found !== undefined) return `${found.target}${hostPath.slice(found.source.length)}`;
      if (SYSTEM.some((folder) => isBelow(hostPath, folder))) return hostPath;
      throw new SkillError("INTERNAL", `${hostPath} is not in the sandbox.`, { details: { path: hostPath } });
    },
  };
}
