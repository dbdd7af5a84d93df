import { type InstallSpec, type Manager, wordOf } from "./spec.ts";

export type CommandArgv = readonly [string, ...string[]];

/** The arguments of npm. No code of a package is executed. */
export function npmArguments(specs: readonly InstallSpec[], folder: string): readonly string[] {
  return [
    ...["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--save-exact"],
    // The user's settings may differ.
    ...["--global=false", "--location=project", "--omit=dev", "--loglevel=error"],
    ...["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"],
    ...["--prefix", folder, "--", ...specs.map(wordOf)],
  ];
}

/** The arguments of pip. Only wheels are installed, because building a source package executes its code. */
export function pipArguments(specs: readonly InstallSpec[], folder: string): readonly string[] {
  return [
    ...["-I", "-m", "pip", "install", "--target", folder, "--only-binary=:all:", "--no-input"],
    ...["--disable-pip-version-check", "--no-cache-dir", "--no-warn-script-location", "--quiet"],
    ...["--retries", "1", "--", ...specs.map(wordOf)],
  ];
}

/** The arguments of uv, for machines without pip. */
export function uvArguments(
  specs: readonly InstallSpec[],
  folder: string,
  python: string,
): readonly string[] {
  return [
    ...["pip", "install", "--target", folder, "--python", python, "--only-binary", ":all:", "--no-cache"],
    ...["--quiet", "--", ...specs.map(wordOf)],
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
