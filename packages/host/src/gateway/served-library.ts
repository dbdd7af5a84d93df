import { basename } from "node:path";
import {
  type AccessSettings,
  type FolderLibrary,
  type IndexCache,
  type IndexedLibrary,
  openLayeredLibrary,
  openLibrary,
} from "@skillhold/core/library";
import type { AuditSink } from "@skillhold/core/port";
import type { ModelPorts, VectorStore } from "@skillhold/core/semantic";
import { orderSources, type Precedence, type Source } from "@skillhold/core/source";
import type { GatewayContext } from "@skillhold/gateway";
import type { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { RegistryContext } from "@skillhold/registry/record";
import { governSources } from "../library/governed-source.ts";
import { type Machine, present } from "../place/machine.ts";
import { chooseFolders } from "../source/folder-source.ts";
import { type GatewayLayerSettings, openGatewayLayers } from "../source/gateway-layer.ts";
import { recordShadowing } from "../store/discovery-log.ts";
import { STORE_LABEL } from "../store/registry-layer.ts";
import type { CloserList } from "./closer-list.ts";

export interface ServedLibrary extends Pick<GatewayContext, "sources"> {
  readonly library: IndexedLibrary;
}

export interface ServedOptions extends Pick<GatewayContext, "host" | "skills"> {
  readonly machine: Machine;
  readonly roots: readonly string[];
  /** Whether the folders are watched for changes. */
  readonly isWatched: boolean;
  /** Whether their skills that break the specification are rejected. */
  readonly strict: boolean;
  /** The registry of the proposals that edits on disk become; without it, edits are served at once. */
  readonly governedBy?: RegistryContext;
  readonly onWarning: (message: string) => void;
  readonly gateways: readonly GatewayLayerSettings[];
  /** Receives why a gateway adds no skills at the start. */
  readonly onProblem: (source: string, problem: SkillError) => void;
  readonly cache?: IndexCache;
  readonly onError: (error: unknown) => void;
  readonly onReload: (ms: number) => void;
  readonly limits: Limits;
  /** Models that the search uses beside words, and where their vectors are kept. */
  readonly models?: ModelPorts;
  readonly vectors: VectorStore;
  /** Records discovered and shadowed skills. */
  readonly audit: AuditSink;
}

const precedence = "local";
const clock = { now: () => new Date() };

/** The skills of the store, layered with the skills of served folders and of other gateways. */
export async function openServedLibrary(options: ServedOptions, closers: CloserList): Promise<ServedLibrary> {
  const {
    skills,
    roots,
    gateways,
    machine,
    host,
    limits,
    onError,
    onProblem,
    cache,
    models,
    vectors,
    audit,
  } = options;
  closers.add(skills, (it) => it.close());
  const settings = { disabledFolders: skills.disabledFolders };
  const own = { label: STORE_LABEL, trust: "as published" };
  if (roots.length + gateways.length === 0) return { library: skills, sources: [own] };
  const common = { precedence, limits, settings, ...present({ cache }) } as const;
  const { folders, sources } = await openFolders(options, common, closers);
  const remotes = await openGatewayLayers(gateways, machine, { host, limits, onError, onProblem });
  const library = openLayeredLibrary([...folders, skills, ...remotes], {
    ...common,
    vectors,
    ...present({ models }),
  });
  closers.add(library, (it) => it.close());
  await recordShadowing(library, audit, clock);
  library.onChange(() => void recordShadowing(library, audit, clock).catch(onError));
  const shown = sources.map(({ label, trust, root }) => ({ label, trust, path: root }));
  const others = remotes.map(({ source }, at) => ({
    label: source,
    trust: "third_party",
    path: gateways[at]?.url ?? "",
  }));
  return { library, sources: [...shown, own, ...others] };
}

async function openFolders(
  options: ServedOptions,
  common: { readonly precedence: Precedence; readonly limits: Limits; readonly settings: AccessSettings },
  closers: CloserList,
): Promise<{ readonly folders: readonly FolderLibrary[]; readonly sources: readonly Source[] }> {
  const { machine, roots, isWatched, strict, host, onError, onReload, audit } = options;
  if (roots.length === 0) return { folders: [], sources: [] };
  const chosen = chooseFolders({ root: roots, strict }, machine, [STORE_LABEL]);
  const sources = withoutPlaces(orderSources(chosen, precedence));
  const watch = isWatched && { onError, onReload };
  const ports = { clock, audit };
  const served = { sources: await govern(options, sources, common.limits, closers), ports, host, watch };
  const folders = await openLibrary({ ...common, ...served, signal: machine.signal });
  return { folders: [folders], sources };
}

/** The folders, or their approved content. */
async function govern(
  { governedBy, machine, host, isWatched, onError, onWarning }: ServedOptions,
  sources: readonly Source[],
  limits: Limits,
  closers: CloserList,
): Promise<readonly Source[]> {
  if (governedBy === undefined) return sources;
  const governed = await governSources(sources, {
    ...{ env: machine.env, host, limits, watch: isWatched ? { onError } : undefined },
    withRegistry: (work) => work(governedBy),
    onProblem: onWarning,
  });
  return closers.add(governed, (it) => it.close()).sources;
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
