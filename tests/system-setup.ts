import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { browserPrograms, isProgram, unpackedFolder } from "./system-program.ts";

/** The programs that the suite uses beside Node, one row each. */
export const needs: readonly Need[] = [
  {
    title: "bubblewrap, in which scripts run",
    platform: "linux",
    programs: ["/usr/bin/bwrap", "/usr/local/bin/bwrap"],
    package: "bubblewrap",
  },
  {
    title: "the system's Python, in which attacks on the sandbox are written",
    platform: "linux",
    programs: ["/usr/bin/python3", "/usr/local/bin/python3"],
    package: "python3",
  },
  {
    title: "qpdf, which checks the PDF files that the core skills write",
    platform: "linux",
    programs: ["/usr/bin/qpdf", "/usr/local/bin/qpdf"],
    package: "qpdf",
  },
  {
    title: "pdftotext of Poppler, which reads them",
    platform: "linux",
    programs: ["/usr/bin/pdftotext", "/usr/local/bin/pdftotext"],
    package: "poppler-utils",
  },
  {
    title: "PostgreSQL, on which the registry is tested as on SQLite",
    platform: "linux",
    programs: [
      ...[13, 14, 15, 16, 17, 18, 19, 20].map((version) => `/usr/lib/postgresql/${version}/bin/postgres`),
      "/usr/bin/postgres",
    ],
    package: "postgresql",
  },
  {
    title: "Chromium, in which pages are looked at, and from which foreign pages attack",
    platform: "linux",
    programs: browserPrograms,
    package: "chromium-headless-shell",
  },
  {
    title: "ssh-keygen, whose signatures are compared with ours",
    platform: "linux",
    programs: ["/usr/bin/ssh-keygen", "/usr/local/bin/ssh-keygen"],
    package: "openssh-client",
  },
  {
    title: "openssl, which makes the certificates that signatures are checked against",
    platform: "linux",
    programs: ["/usr/bin/openssl", "/usr/local/bin/openssl"],
    package: "openssl",
  },
  {
    title: "LibreOffice, which opens the documents that the core skills write",
    platform: "linux",
    programs: ["/usr/bin/soffice", "/usr/local/bin/soffice"],
    package: "libreoffice-writer libreoffice-calc libreoffice-impress",
    importance: "wanted",
  },
  {
    title: "Tesseract, which reads scans for the PDF skill",
    platform: "linux",
    programs: ["/usr/bin/tesseract", "/usr/local/bin/tesseract"],
    package: "tesseract-ocr",
    importance: "wanted",
  },
  {
    // Unpacked only, because an installation starts a server.
    title: "sshd, from which skills are installed over SSH",
    platform: "linux",
    programs: ["/usr/sbin/sshd"],
    package: "openssh-server",
    importance: "unpacked",
  },
  {
    // Unpacked only, because an installation starts a server.
    title: "docker-registry, to which skills are pushed as OCI artifacts",
    platform: "linux",
    programs: ["/usr/bin/docker-registry"],
    package: "docker-registry",
    importance: "unpacked",
  },
  {
    // Unpacked only, because an installation brings network plugins.
    title: "skopeo, which copies the OCI artifacts that skills are pushed as",
    platform: "linux",
    programs: ["/usr/bin/skopeo"],
    package: "skopeo",
    importance: "unpacked",
  },
];

export interface Need {
  readonly title: string;
  readonly platform: string;
  /** It is there when one of these is. */
  readonly programs: readonly string[];
  /** The Debian packages that contain it. */
  readonly package: string;
  /** Without a wanted or an unpacked program, some tests are skipped. An unpacked program is never installed. */
  readonly importance?: "needed" | "wanted" | "unpacked";
}

export interface SetupHost {
  readonly platform: string;
  readonly isRoot: boolean;
  /** Whether the whole suite or a whole project runs, so that an installation of half a minute is worth it. */
  readonly isWholeRun: boolean;
  /** The folder of unpacked packages. */
  readonly unpacked: string;
  isProgram(path: string): boolean;
  /** Runs a program to its end; returns its exit code and its error output. */
  run(argv: readonly [string, ...string[]]): { readonly code: number; readonly errors: string };
  note(line: string): void;
}

/**
 * Finds the programs that the suite uses, and as root installs missing ones with apt-get. Fails with the missing programs
 * and the install command when a needed one is missing, because a suite that skips tests is no proof. Names the others.
 */
export function setUpSystem(rows: readonly Need[], host: SetupHost): void {
  const isNeeded = ({ importance = "needed" }: Need) => importance === "needed";
  installNeeded(findMissing(rows.filter(isNeeded), host), host);
  if (!host.isWholeRun) return;
  const others = rows.filter((need) => !isNeeded(need));
  installWanted(findMissing(others, host), host);
  unpack(
    others.filter(({ importance }) => importance === "unpacked"),
    host,
  );
  const missing = findMissing(others, host);
  if (missing.length > 0) host.note(`Some tests are skipped without these programs:\n${listOf(missing)}\n`);
}

function installNeeded(missing: readonly Need[], host: SetupHost): void {
  if (missing.length === 0) return;
  const aptGet = findAptGet(host);
  if (aptGet === undefined || !host.isRoot) throw refuse(missing, aptGet !== undefined);
  install(missing, aptGet, host);
  const stillMissing = findMissing(missing, host);
  if (stillMissing.length > 0) throw refuse(stillMissing, true);
}

function installWanted(missing: readonly Need[], host: SetupHost): void {
  const wanted = missing.filter(({ importance }) => importance === "wanted");
  const aptGet = findAptGet(host);
  if (wanted.length === 0 || aptGet === undefined || !host.isRoot) return;
  try {
    install(wanted, aptGet, host);
  } catch (error) {
    host.note(`${String(error)}\n`);
  }
}

function install(missing: readonly Need[], aptGet: string, host: SetupHost): void {
  const packages = missing.flatMap((need) => need.package.split(" "));
  host.note(`Installing programs that the tests use: ${packages.join(", ")}\n`);
  // Another test run may be installing, too. A machine without a network must not wait for each mirror.
  const settings = ["DPkg::Lock::Timeout=600", "Acquire::http::Timeout=20", "Acquire::Retries=1"];
  const options = settings.flatMap((setting) => ["-o", setting]);
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", ...packages]]) {
    const { code, errors } = host.run([aptGet, "--quiet", ...options, ...args]);
    if (code !== 0) throw new Error(`apt-get ${args.join(" ")} failed (${code}): ${errors.trim()}`);
  }
}

/** Downloads packages of servers and their dependencies, and unpacks them into a cache. Changes no file of the system. */
function unpack(rows: readonly Need[], host: SetupHost): void {
  const aptGet = findAptGet(host);
  if (findMissing(rows, host).length === 0 || aptGet === undefined) return;
  const packages = rows.flatMap((need) => need.package.split(" "));
  host.note(`Unpacking programs that the tests use: ${packages.join(", ")}\n`);
  const { code, errors } = host.run(["/bin/sh", "-c", UNPACK, "unpack", aptGet, host.unpacked, ...packages]);
  if (code !== 0) host.note(`The packages were not unpacked (${code}): ${errors.trim()}\n`);
}

// The system's package lists may be missing or stale, and only root could update them.
const UNPACK = `
set -eu
apt=$1 folder=$2 work=$2.$$
shift 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/archives/partial" "$work/lists/partial"
network="-o Acquire::http::Timeout=20 -o Acquire::Retries=1"
run() {
  "$apt" --quiet -o Debug::NoLocking=1 -o APT::Sandbox::User= -o "Dir::Cache::archives=$work/archives" $network "$@"
}
run --yes --download-only --no-install-recommends install "$@" || {
  run -o "Dir::State::lists=$work/lists" update
  run -o "Dir::State::lists=$work/lists" --yes --download-only --no-install-recommends install "$@"
}
for file in "$work"/archives/*.deb; do dpkg-deb --extract "$file" "$work/root"; done
rm -rf "$folder"
mv -T "$work/root" "$folder"
`;

function findAptGet(host: SetupHost): string | undefined {
  return aptGetPaths.find((path) => host.isProgram(path));
}

const aptGetPaths = ["/usr/bin/apt-get"];

function findMissing(rows: readonly Need[], host: SetupHost): readonly Need[] {
  const here = rows.filter((need) => need.platform === host.platform);
  const isHere = (path: string, { importance }: Need) =>
    host.isProgram(path) || (importance === "unpacked" && host.isProgram(join(host.unpacked, path)));
  return here.filter((need) => !need.programs.some((path) => isHere(path, need)));
}

function refuse(missing: readonly Need[], hasAptGet: boolean): Error {
  const packages = missing.map((need) => need.package).join(" ");
  const advice = hasAptGet
    ? `Run: sudo apt-get update && sudo apt-get install --no-install-recommends ${packages}`
    : `Install with this system's package manager: ${packages}`;
  return new Error(`The tests need programs that this system lacks:\n${listOf(missing)}\n${advice}`);
}

function listOf(missing: readonly Need[]): string {
  const line = ({ title, programs, package: name }: Need) => `- ${title} (${programs.join(" or ")}; ${name})`;
  return missing.map(line).join("\n");
}

let isDone = false;

/** Vitest calls this for each project. */
export function setup(): void {
  if (!isDone) setUpSystem(needs, thisSystem);
  isDone = true;
}

const thisSystem: SetupHost = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  // npm names the script that it runs.
  isWholeRun: /^test(:|$)/.test(process.env["npm_lifecycle_event"] ?? ""),
  unpacked: unpackedFolder,
  isProgram,
  run: ([program, ...args]) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    // The progress is shown; the errors are part of the failure.
    const stdio = ["ignore", process.stderr.fd, "pipe"] as const;
    const { status, stderr, error } = spawnSync(program, args, { env, encoding: "utf8", stdio: [...stdio] });
    return { code: status ?? 1, errors: error?.message ?? stderr };
  },
  note: (line) => void process.stderr.write(line),
};
