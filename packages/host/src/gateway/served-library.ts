import { basename } from "node:path";
import {
  type AccessSettings,
  type IndexCache,
  type IndexedLibrary,
  openLayeredLibrary,
  openLibrary,
} from "@skillhold/core/library";
import type { ModelPorts, VectorStore } from "@skillhold/core/semantic";
import { orderSources, type Source } from "@skillhold/core/source";
import type { GatewayContext } from "@skillhold/gateway";
import type { Limits } from "@skillhold/protocol/limits";
import type { RegistryLibrary } from "@skillhold/registry/library";
import { type Machine, present } from "../place/machine.ts";
import { chooseFolders } from "../source/folder-source.ts";
import { STORE_LABEL } from "../store/registry-layer.ts";
import type { CloserList } from "./closer-list.ts";

export interface ServedLibrary extends Pick<GatewayContext, "sources"> {
  readonly library: IndexedLibrary;
}

export interface ServedOptions extends Pick<GatewayContext, "host" | "skills"> {
  readonly machine: Machine;
  readonly roots: readonly string[];
  readonly cache?: IndexCache;
  readonly onError: (error: unknown) => void;
  readonly onReload: (ms: number) => void;
  readonly limits: Limits;
  /** Models that the search uses beside words, and where their vectors are kept. */
  readonly models?: ModelPorts;
  readonly vectors: VectorStore;
}

const precedence = "local";

/** The skills of the store, with the skills of served folders layered above them. */
export async function openServedLibrary(options: ServedOptions, closers: CloserList): Promise<ServedLibrary> {
  const { skills, roots } = options;
  closers.add(skills, (it) => it.close());
  const settings = { disabledFolders: skills.disabledFolders };
  const own = { label: STORE_LABEL, trust: "as published" };
  if (roots.length === 0) return { library: skills, sources: [own] };
  const { library, sources } = await openLayers(options, settings, skills);
  closers.add(library, (it) => it.close());
  const shown = sources.map(({ label, trust, root }) => ({ label, trust, path: root }));
  return { library, sources: [...shown, own] };
}

async function openLayers(
  { machine, roots, host, cache, onError, onReload, limits, models, vectors }: ServedOptions,
  settings: AccessSettings,
  skills: RegistryLibrary,
) {
  const sources = withoutPlaces(
    orderSources(chooseFolders({ root: roots }, machine, [STORE_LABEL]), precedence),
  );
  const common = { precedence, limits, settings, ...present({ cache }) } as const;
  const folders = await openLibrary({
    ...common,
    sources,
    host,
    signal: machine.signal,
    watch: { onError, onReload },
  });
  return {
    sources,
    library: openLayeredLibrary([folders, skills], { ...common, vectors, ...present({ models }) }),
  };
}

/** Labels without paths: only administrators may see where a folder is. */
function withoutPlaces(sources: readonly Source[]): readonly Source[] {
  const taken = new Set([STORE_LABEL]);
  return sources.map((source) => {
    const name = basename(source.root) || "folder";
    let label = name;
    for (let number = 2; taken.has(label); number += 1) label = `${name} (${number})`;
    taken.add(label);
    return { ...source, label };
  });
}
