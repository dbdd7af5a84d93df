import { type InstallSpec, type Manager, wordOf } from "./spec.ts";

export type CommandArgv = readonly [string, ...string[]];

const NPM_OPTIONS = [
  ...["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--save-exact"],
  // The user's settings may differ.
  ...["--global=false", "--location=project", "--omit=dev", "--loglevel=error"],
  ...["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"],
  // A git dependency would make npm run a second npm in the clone, with the settings of the clone.
  ...[
    "--git=/bin/false",
    "--allow-git=none",
    "--allow-remote=none",
    "--allow-file=none",
    "--allow-directory=none",
  ],
  ...["--omit-lockfile-registry-resolved=false", "--package-lock=true", "--install-links=false"],
] as const;

/** The arguments of npm that resolve specs to a lock file. No code of a package is executed. */
export function npmLockArguments(specs: readonly InstallSpec[], folder: string): readonly string[] {
  return ["install", "--package-lock-only", ...NPM_OPTIONS, "--prefix", folder, "--", ...specs.map(wordOf)];
}

/** The arguments of npm that install exactly the packages of the lock file. */
export function npmInstallArguments(folder: string): readonly string[] {
  return ["ci", ...NPM_OPTIONS, "--prefix", folder];
}

const PIP_OPTIONS = [
  ...["--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--no-cache-dir"],
  // A source package that comes as a direct reference finds no build tools; the lock refuses it.
  ...["--no-build-isolation", "--use-pep517", "--no-warn-script-location", "--quiet", "--retries", "1"],
] as const;

/** The arguments of pip that resolve specs to a report. Only wheels, because building a package executes its code. */
export function pipLockArguments(specs: readonly InstallSpec[], report: string): readonly string[] {
  return [
    ...["-I", "-m", "pip", "install", "--dry-run", "--ignore-installed", "--report", report],
    ...[...PIP_OPTIONS, "--", ...specs.map(wordOf)],
  ];
}

/** The arguments of pip that install exactly the packages of the lock. */
export function pipInstallArguments(lock: string, site: string): readonly string[] {
  return [
    ...["-I", "-m", "pip", "install", "--target", site, "--no-deps", "--require-hashes"],
    ...[...PIP_OPTIONS, "-r", lock],
  ];
}

/** The arguments of uv, for machines without pip: the specs come from a file. */
export function uvLockArguments(specFile: string, lock: string, python: string): readonly string[] {
  return [
    ...["pip", "compile", specFile, "--generate-hashes", "--no-build", "--no-header", "--no-annotate"],
    ...["--no-cache", "--quiet", "--python", python, "--output-file", lock],
  ];
}

export function uvInstallArguments(lock: string, site: string, python: string): readonly string[] {
  return [
    ...["pip", "install", "--target", site, "--python", python, "--no-deps", "--require-hashes"],
    ...["--no-build", "--no-cache", "--quiet", "-r", lock],
  ];
}

export type SystemManager = Extract<Manager, "apt" | "apk" | "brew" | "go">;

/**
 * The command that installs a system package. Skillhold never uses sudo: users without the rights get the
 * command to run.
 */
export function systemCommand(manager: SystemManager, spec: InstallSpec): CommandArgv {
  switch (manager) {
    case "apt":
      return ["apt-get", "install", "--yes", "--no-install-recommends", "--", wordOf(spec)];
    case "apk":
      return ["apk", "add", "--no-cache", "--", wordOf(spec)];
    case "brew":
      return ["brew", "install", "--", wordOf(spec)];
    case "go":
      return ["go", "install", "--", wordOf(spec)];
  }
}
