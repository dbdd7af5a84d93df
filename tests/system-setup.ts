import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";

/** What the suite needs from the system beside Node: one row each. */
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
    programs: ["/usr/bin/chromium"],
    package: "chromium",
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
];

export interface Need {
  readonly title: string;
  readonly platform: string;
  /** It is there when one of these is. */
  readonly programs: readonly string[];
  /** The package of Debian and its kin that brings it. */
  readonly package: string;
}

export interface SetupHost {
  readonly platform: string;
  readonly isRoot: boolean;
  isProgram(path: string): boolean;
  /** Runs a program to its end; returns its exit code and its error output. */
  run(argv: readonly [string, ...string[]]): { readonly code: number; readonly errors: string };
  note(line: string): void;
}

/**
 * Finds the programs that the suite needs, and as root installs missing ones with apt-get. Otherwise it fails with
 * the missing programs and the install command, because a suite that skips tests is no proof.
 */
export function setUpSystem(rows: readonly Need[], host: SetupHost): void {
  const missing = findMissing(rows, host);
  if (missing.length === 0) return;
  const packages = missing.map((need) => need.package);
  const aptGet = aptGetPaths.find((path) => host.isProgram(path));
  if (aptGet === undefined || !host.isRoot) throw refuse(missing, aptGet !== undefined);
  host.note(`Installing what the tests need: ${packages.join(", ")}\n`);
  for (const args of [["update"], ["install", "--yes", "--no-install-recommends", ...packages]]) {
    const { code, errors } = host.run([aptGet, "--quiet=2", ...args]);
    if (code !== 0) throw new Error(`apt-get ${args.join(" ")} failed (${code}): ${errors.trim()}`);
  }
  const stillMissing = findMissing(missing, host);
  if (stillMissing.length > 0) throw refuse(stillMissing, true);
}

const aptGetPaths = ["/usr/bin/apt-get"];

function findMissing(rows: readonly Need[], host: SetupHost): readonly Need[] {
  const here = rows.filter((need) => need.platform === host.platform);
  return here.filter((need) => !need.programs.some((path) => host.isProgram(path)));
}

function refuse(missing: readonly Need[], hasAptGet: boolean): Error {
  const list = missing.map((need) => `- ${need.title} (${need.programs.join(" or ")})`).join("\n");
  const packages = missing.map((need) => need.package).join(" ");
  const advice = hasAptGet
    ? `Run: sudo apt-get update && sudo apt-get install --no-install-recommends ${packages}`
    : `Install with this system's package manager: ${packages}`;
  return new Error(`The tests need what this system does not have:\n${list}\n${advice}`);
}

/** Vitest calls this once before all tests. */
export function setup(): void {
  setUpSystem(needs, thisSystem);
}

const thisSystem: SetupHost = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  isProgram: (path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      // Not there, or not to be run.
      return false;
    }
  },
  run: ([program, ...args]) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { status, stderr, error } = spawnSync(program, args, { env, encoding: "utf8" });
    return { code: status ?? 1, errors: error?.message ?? stderr };
  },
  note: (line) => void process.stderr.write(line),
};
