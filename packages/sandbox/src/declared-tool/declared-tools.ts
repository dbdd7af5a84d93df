import type { ToolCatalogue, ToolCatalogueCache, ToolListing } from "@skillhold/core/run";
import { isToolFile } from "@skillhold/skill";
import { mergeListings, toCatalogue } from "./tool-catalogue.ts";
import { toolNotFound } from "./tool-failure.ts";
import { openToolHost, type ToolHost } from "./tool-host.ts";
import type { ToolHostPorts, ToolHostSpec, ToolLanguage } from "./tool-host-spec.ts";
import type { ToolCallOptions } from "./tool-process.ts";

/** A skill with declared tools. */
export interface ToolSkill {
  readonly id: string;
  readonly treeHash: string;
  /** The folder of its staged copy. */
  readonly folder: string;
  /** The paths of its files. */
  readonly files: readonly string[];
}

export type ToolSettings = Omit<ToolHostSpec, "skill" | "language" | "files">;

export interface DeclaredToolsPorts extends ToolHostPorts {
  readonly cache: ToolCatalogueCache;
}

/**
 * The declared tools of a skill in all languages. Contract: `load` and `call` run the skill's code, and the
 * caller has obtained the permission.
 */
export interface DeclaredTools {
  /** Runs the modules to list their tools, and caches the listing. */
  load(): Promise<ToolCatalogue>;
  /** Runs a tool by its declared name. Throws like `ToolHost.call`. */
  call(name: string, args: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<unknown>;
  /** Ends all processes. Pending calls fail. */
  close(): Promise<void>;
}

export function openDeclaredTools(
  skill: ToolSkill,
  settings: ToolSettings,
  ports: DeclaredToolsPorts,
): DeclaredTools {
  const hosts = openHosts(skill, settings, ports);
  const list = async (): Promise<ToolListing> => {
    const outcomes = await Promise.allSettled([...hosts.values()].map((host) => host.tools()));
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    const [first] = failures;
    // Without a sandbox, no module runs. Otherwise the available listings are returned, and the failed ones
    // are tried again next time.
    if (first !== undefined && failures.length === hosts.size) throw first.reason;
    const listing = mergeListings(
      [...hosts.keys()].map((language, at) => listingOf(outcomes[at], filesOf(skill, language))),
    );
    const isSure = [...hosts.values()].every((host) => host.isSure);
    if (first === undefined && isSure) await ports.cache.set(skill.treeHash, listing);
    return listing;
  };
  return {
    load: async () => toCatalogue(skill.id, await list()),
    call: async (name, args, options) => {
      const { tools } = (await ports.cache.get(skill.treeHash)) ?? (await list());
      const tool = tools.find((each) => each.name === name);
      const host = tool === undefined ? undefined : hosts.get(languageOf(tool.file));
      if (host === undefined) throw toolNotFound(name, tools);
      return host.call(name, args, options);
    },
    close: async () => {
      await Promise.all([...hosts.values()].map((host) => host.close()));
    },
  };
}

function listingOf(
  outcome: PromiseSettledResult<ToolListing> | undefined,
  files: readonly string[],
): ToolListing {
  if (outcome?.status === "fulfilled") return outcome.value;
  const message = outcome?.reason instanceof Error ? outcome.reason.message : String(outcome?.reason);
  return { tools: [], problems: files.map((file) => ({ file, message })) };
}

function openHosts(
  skill: ToolSkill,
  settings: ToolSettings,
  ports: ToolHostPorts,
): ReadonlyMap<ToolLanguage, ToolHost> {
  const hosts = new Map<ToolLanguage, ToolHost>();
  for (const language of ["node", "python"] as const) {
    const files = filesOf(skill, language);
    if (files.length === 0) continue;
    hosts.set(language, openToolHost({ ...settings, skill: skill.folder, language, files }, ports));
  }
  return hosts;
}

function filesOf(skill: ToolSkill, language: ToolLanguage): readonly string[] {
  return skill.files.filter((file) => isToolFile(file) && languageOf(file) === language).sort();
}

function languageOf(file: string): ToolLanguage {
  return file.endsWith(".py") ? "python" : "node";
}
