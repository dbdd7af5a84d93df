import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { offer, readDownload, sha256 } from "./download.ts";
import { fetchBlobs, gitSource, openRepository } from "./git/git-source.ts";
import { localSource } from "./local-source.ts";
import {
  MARKETPLACE_FILES,
  type MarketplaceList,
  type MarketplacePlugin,
  plainPath,
  readMarketplace,
} from "./marketplace.ts";
import { npmSource } from "./npm-source.ts";
import type {
  FetchedSkill,
  InstallSource,
  OfferedSkill,
  RefusedSkill,
  Resolved,
  SourcePorts,
} from "./source.ts";
import { readSource } from "./source-grammar.ts";
import { formatSource, type GitSpec, type LocalSpec, type MarketplaceSpec } from "./source-spec.ts";
import { wrongDigest } from "./web-source.ts";

/** The skills of plugins that a marketplace lists. Commands, hooks and servers of plugins are never taken. */
export const marketplaceSource: InstallSource<MarketplaceSpec> = {
  resolve: async (spec, ports) => {
    const list = await readList(spec.source, ports);
    const plugins = choosePlugins(list, spec.plugin);
    const parts: Part[] = [];
    const notes = [...list.notes];
    for (const plugin of plugins) {
      if (plugin.ignored.length > 0)
        notes.push(`${plugin.name}: ${plugin.ignored.join(", ")} are not installed.`);
      const part = await resolvePlugin(plugin, spec, ports);
      if (typeof part === "string") notes.push(`${plugin.name}: ${part}.`);
      else parts.push({ plugin: plugin.name, resolved: part });
    }
    return combine(parts, notes, formatSource(spec));
  },
};

interface Part {
  readonly plugin: string;
  readonly resolved: Resolved;
}

async function readList(source: LocalSpec | GitSpec, ports: SourcePorts): Promise<MarketplaceList> {
  const text = source.kind === "local" ? readLocal(source, ports) : await readFromGit(source, ports);
  if (text === undefined)
    throw new SkillError("PATH_NOT_FOUND", "The source has no plugin marketplace.", {
      hint: `A marketplace is a file ${MARKETPLACE_FILES.join(" or ")}.`,
    });
  try {
    return readMarketplace(JSON.parse(text));
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw new SkillError("REMOTE_FAILED", "The marketplace is not JSON.", { cause: error });
  }
}

function readLocal({ path }: LocalSpec, { settings }: SourcePorts): string | undefined {
  for (const file of MARKETPLACE_FILES) {
    try {
      return readFileSync(join(resolve(settings.cwd, path), file), "utf8");
    } catch {
      // The next place is looked at.
    }
  }
  return undefined;
}

async function readFromGit(spec: GitSpec, ports: SourcePorts): Promise<string | undefined> {
  const repository = await openRepository(spec, ports);
  const file = MARKETPLACE_FILES.map((path) => repository.entries.find((entry) => entry.path === path)).find(
    (entry) => entry?.type === "blob" && entry.mode.startsWith("100"),
  );
  if (file === undefined) return undefined;
  await fetchBlobs(repository, [file.id], ports);
  const args = ["cat-file", "blob", file.id];
  const { git, signal } = ports;
  const content = await git({ repository: repository.folder, signal, args, maxBytes: 16 * 1024 * 1024 });
  return content.toString("utf8");
}

/** The named plugin, or all plugins in the marketplace's own repository. */
function choosePlugins(
  { plugins, renames }: MarketplaceList,
  name: string | undefined,
): readonly MarketplacePlugin[] {
  if (name === undefined) return plugins.filter(({ from }) => from.kind === "inside");
  const current = Object.hasOwn(renames, name) ? renames[name] : name;
  const found = plugins.filter((plugin) => plugin.name === current);
  if (found.length > 0) return found;
  const names = plugins
    .map((plugin) => plugin.name)
    .slice(0, 30)
    .join(", ");
  throw new SkillError(
    "SKILL_NOT_FOUND",
    `The marketplace has no plugin ${JSON.stringify(name.slice(0, 80))}.`,
    {
      hint: `The marketplace lists: ${names}.`,
    },
  );
}

/** Returns a text with the reason if the plugin has no skill to install. */
async function resolvePlugin(
  { name, from, skills }: MarketplacePlugin,
  { source }: MarketplaceSpec,
  ports: SourcePorts,
): Promise<Resolved | string> {
  switch (from.kind) {
    case "refused":
      return from.reason;
    case "inside": {
      const inside: Resolved =
        source.kind === "local"
          ? await localSource.resolve(
              { kind: "local", path: resolve(ports.settings.cwd, source.path, from.path) },
              ports,
            )
          : await gitSource.resolve(source, ports);
      const root = source.kind === "local" ? "" : from.path;
      return listed(inside, root, skills);
    }
    case "source": {
      // The entry is a stranger's: it goes through the same grammar as what a user types.
      const checked = readSource(formatSource(from.spec) ?? "");
      if (checked.kind === "git")
        return listed(await gitSource.resolve(checked, ports), checked.path ?? "", skills);
      return checked.kind === "npm" ? await npmSource.resolve(checked, ports) : "its source cannot be read";
    }
    case "archive": {
      const { bytes } = await ports.fetcher.fetch(from.spec.url);
      const digest = sha256(bytes);
      if (from.sha256 !== undefined && digest !== `sha256:${from.sha256.toLowerCase()}`)
        throw wrongDigest(name, from.sha256, digest);
      const download = await readDownload(bytes, ports);
      const verified = from.sha256 === undefined ? ("none" as const) : ("digest" as const);
      return offer(download, download.skills, ({ path }) => ({
        source: "url",
        origin: name,
        originUrl: from.spec.url,
        path,
        archiveDigest: digest,
        publisher: new URL(from.spec.url).host,
        digests: from.sha256 === undefined ? {} : { artifact: digest },
        verified,
      }));
    }
  }
}

/** Those of the plugin: the folders that its entry lists, or all below its own folder. */
function listed(resolved: Resolved, root: string, skills: readonly string[] | undefined): Resolved {
  const folders = (skills ?? [""]).map((path) => plainPath(`${root}/${path}`));
  const isIn = ({ path }: OfferedSkill) =>
    folders.some((folder) => folder === "" || path === folder || path.startsWith(`${folder}/`));
  return { ...resolved, skills: resolved.skills.filter(isIn) };
}

function combine(parts: readonly Part[], notes: readonly string[], spec: string | undefined): Resolved {
  const all = parts.flatMap(({ plugin, resolved }) =>
    resolved.skills.map((skill) => ({
      plugin,
      resolved,
      skill,
      offered: { ...skill, path: `${plugin}:${skill.path}` },
    })),
  );
  return {
    skills: all.map(({ offered }) => offered),
    notes: [...notes, ...parts.flatMap(({ resolved }) => resolved.notes)],
    fetch: async (chosen) => {
      const wanted = new Set(chosen.map(({ path }) => path));
      const fetched: (FetchedSkill | RefusedSkill)[] = [];
      for (const { plugin, resolved } of parts) {
        const mine = all.filter((each) => each.resolved === resolved && wanted.has(each.offered.path));
        const got = await resolved.fetch(mine.map(({ skill }) => skill));
        fetched.push(
          ...got.map((skill) =>
            "error" in skill || spec === undefined
              ? skill
              : { ...skill, origin: { ...skill.origin, spec: specFor(spec, plugin) } },
          ),
        );
      }
      return fetched;
    },
  };
}

function specFor(spec: string, plugin: string): string {
  return `${spec.slice(0, spec.lastIndexOf("#"))}#${plugin}`;
}
