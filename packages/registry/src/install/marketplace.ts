import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import type { GitSpec, NpmSpec, WebSpec } from "./source-spec.ts";

/** The marketplace files of coding agents in a repository, in search order. */
export const MARKETPLACE_FILES: readonly string[] = [
  ".claude-plugin/marketplace.json",
  ".agents/plugins/marketplace.json",
  ".cursor-plugin/marketplace.json",
];

const text = z.string().max(2048);
const Source = z.union([
  text,
  z.looseObject({ source: z.literal("github"), repo: text, ref: text.optional(), sha: text.optional() }),
  z.looseObject({ source: z.literal("url"), url: text, ref: text.optional(), sha: text.optional() }),
  z.looseObject({
    source: z.literal("git-subdir"),
    url: text,
    path: text,
    ref: text.optional(),
    sha: text.optional(),
  }),
  z.looseObject({ source: z.literal("npm"), package: text, version: text.optional() }),
  z.looseObject({ source: z.literal("archive"), url: text, sha256: text.optional() }),
  z.looseObject({ source: z.string() }),
]);
const paths = z.union([text, z.array(text).max(1000)]).optional();
const Entry = z.looseObject({ name: text, source: Source, skills: paths });
const Marketplace = z.looseObject({
  name: text,
  plugins: z.array(z.unknown()).max(5000),
  metadata: z.looseObject({ pluginRoot: text.optional() }).optional(),
  renames: z.record(z.string(), text.nullable()).optional(),
});

/** A plugin as far as its skills go. */
export interface MarketplacePlugin {
  readonly name: string;
  readonly from: PluginPlace;
  /** Folders of skills, or folders that hold them, from the plugin's root; undefined for `skills`. */
  readonly skills: readonly string[] | undefined;
  /** Parts that are not installed: commands, hooks, servers. */
  readonly ignored: readonly string[];
}

export type PluginPlace =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "source"; readonly spec: GitSpec | NpmSpec }
  | { readonly kind: "archive"; readonly spec: WebSpec; readonly sha256: string | undefined }
  /** A source that would run a program, or one that is not known. */
  | { readonly kind: "refused"; readonly reason: string };

export interface MarketplaceList {
  readonly name: string;
  readonly plugins: readonly MarketplacePlugin[];
  readonly renames: Readonly<Record<string, string | null>>;
  readonly notes: readonly string[];
}

const OTHER_PARTS = ["commands", "agents", "hooks", "mcpServers", "lspServers"] as const;

/** Reads a marketplace. Entries that cannot be read are noted and skipped. */
export function readMarketplace(value: unknown): MarketplaceList {
  const { data } = Marketplace.safeParse(value);
  if (data === undefined)
    throw new SkillError(
      "REMOTE_FAILED",
      "The file is not a plugin marketplace: it needs `name` and `plugins`.",
    );
  const notes: string[] = [];
  const plugins = data.plugins.flatMap((each): readonly MarketplacePlugin[] => {
    const entry = Entry.safeParse(each).data;
    if (entry === undefined) {
      notes.push("A plugin of the marketplace was skipped: it has no name or no source.");
      return [];
    }
    return [
      {
        name: entry.name,
        from: placeOf(entry.source, data.metadata?.pluginRoot),
        skills: entry.skills === undefined ? undefined : [entry.skills].flat(),
        ignored: OTHER_PARTS.filter((part) => entry[part] !== undefined),
      },
    ];
  });
  return { name: data.name, plugins, renames: data.renames ?? {}, notes };
}

function placeOf(source: z.infer<typeof Source>, root: string | undefined): PluginPlace {
  if (typeof source === "string") {
    const path = source.startsWith("./") || source === "." ? source : `${root ?? "."}/${source}`;
    return { kind: "inside", path: plainPath(path) };
  }
  switch (source.source) {
    case "github":
      return gitPlace(`https://github.com/${String(source["repo"])}.git`, source);
    case "url":
      return gitPlace(String(source["url"]), source);
    case "git-subdir":
      return gitPlace(String(source["url"]), source, plainPath(String(source["path"])));
    case "npm": {
      const range = source["version"];
      return {
        kind: "source",
        spec: {
          kind: "npm",
          name: String(source["package"]),
          ...(range === undefined ? {} : { range: String(range) }),
        },
      };
    }
    case "archive": {
      const sha256 = source["sha256"];
      const spec: WebSpec = { kind: "download", url: String(source["url"]) };
      return { kind: "archive", spec, sha256: sha256 === undefined ? undefined : String(sha256) };
    }
    case "command":
      return { kind: "refused", reason: "its source is a shell command, which is never run" };
    default:
      return { kind: "refused", reason: `its source is of the unknown kind ${source.source.slice(0, 40)}` };
  }
}

/** `sha` beats `ref`. */
function gitPlace(url: string, source: Readonly<Record<string, unknown>>, path?: string): PluginPlace {
  const ref = source["sha"] ?? source["ref"];
  const spec: GitSpec = {
    kind: "git",
    url,
    ...(ref === undefined ? {} : { ref: String(ref) }),
    ...(path === undefined || path === "" ? {} : { path }),
  };
  return { kind: "source", spec };
}

/** A path without `./` and slashes at its ends; one that leaves the repository finds no file in it. */
export function plainPath(path: string): string {
  return path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}
