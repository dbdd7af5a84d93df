import { type FrontmatterMap, readOpenclaw, textList, textOf } from "@skillhold/skill";

/** An install step from a skill's frontmatter. */
export interface InstallWay {
  readonly programs: readonly string[];
  /** In installer notation: `npm:name`, `brew:formula`, `download:https://…`. The installer validates it. */
  readonly spec: string;
  /** Node platform names; empty means all. */
  readonly os: readonly string[];
}

/** The install steps of the OpenClaw section, in order. */
export function readInstallWays(frontmatter: FrontmatterMap): readonly InstallWay[] {
  return readOpenclaw(frontmatter).install.flatMap(({ kind, fields }) => {
    const manager = MANAGERS.get(kind.toLowerCase());
    const what = manager === "download" ? textOf(fields["url"]) : packageOf(fields);
    if (manager === undefined || what === undefined) return [];
    const named = textList(fields["bins"]);
    const programs = named.length > 0 ? named : [programOf(what)];
    return [{ programs, spec: `${manager}:${what}`, os: textList(fields["os"]).map(platformOf) }];
  });
}

/** The programs of a step. */
export function packageOf(fields: FrontmatterMap): string | undefined {
  return (
    textOf(fields["package"]) ??
    textOf(fields["formula"]) ??
    textOf(fields["module"]) ??
    textOf(fields["name"])
  );
}

/** The program name of a Go module: `tool` for `github.com/a/b/cmd/tool@latest`. */
export function programOf(module: string): string {
  const path = module.replace(/@.*$/s, "").replace(/\/v\d+$/, "");
  return path.slice(path.lastIndexOf("/") + 1);
}

const MANAGERS: ReadonlyMap<string, string> = new Map([
  ["node", "npm"],
  ["npm", "npm"],
  ["uv", "pip"],
  ["pip", "pip"],
  ["brew", "brew"],
  ["apt", "apt"],
  ["apk", "apk"],
  ["go", "go"],
  ["download", "download"],
]);

function platformOf(name: string): string {
  const lower = name.toLowerCase();
  if (lower === "macos" || lower === "mac" || lower === "osx") return "darwin";
  return lower === "windows" || lower === "win" ? "win32" : lower;
}
