import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { tryStat } from "../bundle/index.ts";
import { defaultTrust, type Source, type SourceKind } from "./source.ts";

export interface DiscoverOptions {
  /** Where the agent works; its folders are searched up to the root of the repository. */
  readonly cwd: string;
  /** The user's home folder; without one no home folders are searched. */
  readonly home?: string;
  /** Whether the user has confirmed that this project may be trusted as the user's own. */
  readonly isProjectTrusted?: boolean;
  /** Further folders that the user named. */
  readonly extra?: readonly string[];
  /** The folder of the skills that come with the product. */
  readonly builtin?: string;
}

/** Folders of a project that clients keep skills in, the shared one first. */
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

/** The same below the home folder, where some clients have a folder of their own. */
const homeFolders = [
  ...projectFolders,
  ".config/agents/skills",
  ".config/opencode/skills",
  ".openclaw/skills",
  ".skillhold/skills",
];

/** The sources that an agent in a folder would expect; only folders that exist. */
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
 * From the folder up to the one that holds `.git`; the folder alone when it is in no repository. The home folder is no
 * project: what it holds is the user's own.
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

/** The first source of a folder counts; labels are made distinct. */
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
