import { type InstallSpec, type Manager, wordOf } from "./spec.ts";

export type CommandArgv = readonly [string, ...string[]];

/** How npm is run, and into which folder. Nothing that a package brings is executed. */
export function npmArguments(specs: readonly InstallSpec[], folder: string): readonly string[] {
  return [
    ...["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--save-exact"],
    // The settings of a user may say otherwise.
    ...["--global=false", "--location=project", "--omit=dev", "--loglevel=error"],
    ...["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"],
    ...["--prefix", folder, "--", ...specs.map(wordOf)],
  ];
}

/** How pip is run. Only wheels are taken: to build anything else is to run it. */
export function pipArguments(specs: readonly InstallSpec[], folder: string): readonly string[] {
  return [
    ...["-I", "-m", "pip", "install", "--target", folder, "--only-binary=:all:", "--no-input"],
    ...["--disable-pip-version-check", "--no-cache-dir", "--no-warn-script-location", "--quiet"],
    ...["--retries", "1", "--", ...specs.map(wordOf)],
  ];
}

/** The same by uv, where there is no pip. */
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

/** How a package of the system is installed. There is no sudo here: who may not do it is shown the command. */
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
