import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { tryStat } from "../bundle/index.ts";
import { defaultTrust, type Source, type SourceKind } from "./source.ts";

export interface DiscoverOptions {
  /** The agent's working folder. Its parents are searched up to the repository root. */
  readonly cwd: string;
  /** The user's home folder; without it, no home folders are searched. */
  readonly home?: string;
  /** Whether the user confirmed that this project is trusted. */
  readonly isProjectTrusted?: boolean;
  /** More folders from the user. */
  readonly extra?: readonly string[];
  /** The folder of the bundled skills. */
  readonly builtin?: string;
}

/** Project folders of known clients, the shared one first. */
const projectFolders = [
  ...[
    ".agents",
    ".claude",
    ".cursor",
    ".github",
    ".codex",
    ".gemini",
    ".opencode",
    ".copilot",
    ".goose",
    ".kiro",
  ],
  ...[".roo", ".windsurf", ".qwen", ".openhands", ".junie", ".continue", ".augment", ".factory", ".hermes"],
].map((client) => `${client}/skills`);

/** The same below the home folder, where some clients use another folder. */
const homeFolders = [
  ...projectFolders,
  ".config/agents/skills",
  ".config/opencode/skills",
  ".openclaw/skills",
  ".skillhold/skills",
];

/** The default sources for an agent in a folder; only existing folders. */
export function discoverSources(options: DiscoverOptions): readonly Source[] {
  const { cwd, home, extra = [], builtin } = options;
  const projectTrust = options.isProjectTrusted ? "user" : "third_party";
  const sources: Source[] = extra.map((root) => source("workspace", resolve(cwd, root), root));
  for (const [level, folder] of foldersUpToRepository(resolve(cwd), home).entries()) {
    if (level === 0)
      sources.push({ ...source("workspace", join(folder, "skills"), "skills"), trust: projectTrust });
    for (const name of projectFolders) {
      const label = level === 0 ? name : `${basename(folder)}/${name}`;
      sources.push({ ...source("project", join(folder, name), label), trust: projectTrust });
    }
  }
  if (home !== undefined)
    sources.push(...homeFolders.map((name) => source("user", join(home, name), `~/${name}`)));
  if (builtin !== undefined) sources.push(source("builtin", builtin, "builtin"));
  return unique(sources.filter(({ root }) => isFolder(root)));
}

/**
 * The folders from this one up to the one with `.git`, or only this one outside a repository. The home folder is not a
 * project: its skills are the user's own.
 */
function foldersUpToRepository(cwd: string, home: string | undefined): readonly string[] {
  const folders: string[] = [];
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (folder === dirname(folder)) break;
  }
  return folders.slice(0, 1);
}

function source(kind: SourceKind, root: string, label: string): Source {
  return { label, kind, trust: defaultTrust[kind], root };
}

/** Keeps the first source per folder and makes labels unique. */
function unique(sources: readonly Source[]): readonly Source[] {
  const roots = new Set<string>();
  const labels = new Map<string, number>();
  return sources.flatMap((each) => {
    if (roots.has(each.root)) return [];
    roots.add(each.root);
    const count = (labels.get(each.label) ?? 0) + 1;
    labels.set(each.label, count);
    return [count === 1 ? each : { ...each, label: `${each.label} (${count})` }];
  });
}

function isFolder(path: string): boolean {
  return tryStat(path)?.isDirectory() ?? false;
}
