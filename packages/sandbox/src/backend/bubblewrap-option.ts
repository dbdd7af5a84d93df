import { lstatSync, readlinkSync } from "node:fs";
import type { Mount, SandboxSpec } from "@skillhold/core/run";

export const SKILL = "/skill";
export const WORK = "/work";

/** Who the program is for itself, whoever it is for the host. */
const USER = "1000";
export const passwdFile = `skill:x:${USER}:${USER}:skill:${WORK}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
export const groupFile = `skill:x:${USER}:\nnogroup:x:65534:\n`;

export const hostsFile = "127.0.0.1 localhost\n::1 localhost\n127.0.0.1 skill\n";

/** Descriptors by which bubblewrap is told things. They are closed before the program starts. */
export const control = {
  /** Of one digit, as shells want it. */
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
 * Becomes the program when it is told so. Bubblewrap goes on also when the one that holds it back is gone; with this,
 * nothing is run then.
 */
export const gatePrefix = [
  "/bin/sh",
  "-c",
  `read -r go <&${control.gate} && exec "$@" ${control.gate}<&-`,
  "gate",
] as const;

const MB = 1024 * 1024;
const SHARED_MEMORY = 64 * MB;
const RUN_FOLDER = MB;

const SYSTEM_LINKS = ["/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"];
/** Every mount costs a sixth of a millisecond: these are what programs fail without. */
const SYSTEM_FILES = [
  "ld.so.cache",
  "alternatives",
  "localtime",
  "ssl/openssl.cnf",
  "crypto-policies",
  "pki",
];
const NETWORK_FILES = [
  "resolv.conf",
  "hosts",
  "nsswitch.conf",
  "ssl/certs",
  "ssl/cert.pem",
  "ca-certificates",
];

/**
 * The options of one run. The root holds what is named here and nothing else; all of it but the private folders is
 * read-only. They go to bubblewrap by a descriptor: every user of the host can read a command line, and the
 * variables may be secrets.
 */
export function bubblewrapOptions(
  spec: Pick<SandboxSpec, "limits" | "network" | "skill">,
  mounts: readonly Mount[],
  env: Readonly<Record<string, string>>,
  marker: string,
): readonly string[] {
  const { limits } = spec;
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--uid", USER, "--gid", USER],
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--clearenv", "--hostname", "skill"],
    ...(spec.network === "open" ? ["--share-net"] : []),
    ...systemRoot(spec.network === "open"),
    // Nothing in /proc needs to be written, and root owns much of it when root started us.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    // The folder of devices would be a disk without a limit.
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
    ...(spec.network === "open" ? [] : systemFile(control.hosts, "/etc/hosts")),
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

/** On most systems these are links into /usr; on the others they are folders of their own. */
function systemFolder(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
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
