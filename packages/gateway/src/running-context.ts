import type { Catalogue } from "@skillhold/core/catalogue";
import type { IndexedLibrary, SkillFile, Viewer } from "@skillhold/core/library";
import { type CatalogueRequest, type SessionPorts, sessionCatalogue } from "@skillhold/core/session";
import type { Digest } from "@skillhold/protocol";
import { agentFor } from "@skillhold/registry/access";
import { LogTree, usesOf } from "@skillhold/registry/audit";
import type { RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { LRUCache } from "lru-cache";
import { MountedTokens } from "./auth/mounted-token.ts";
import { ArchiveCache, DiffCache, SmallFileCache } from "./cache/content-cache.ts";
import { ResponseCache } from "./cache/response-cache.ts";
import { SkillLists } from "./cache/skill-list.ts";
import { ViewVersion } from "./cache/view-version.ts";
import { type DependencyWork, dependencyWork } from "./dependency/dependency-work.ts";
import type { GatewayContext, StartedRequest } from "./gateway-context.ts";
import { InstallProgress } from "./install-progress.ts";
import { HeavyGate } from "./limit/heavy-gate.ts";
import { type ConsoleSite, readConsole } from "./page/console-file.ts";
import { GatewaySessions } from "./session/gateway-sessions.ts";
import { RunningCalls } from "./session/running-calls.ts";
import type { SessionHolder } from "./session/session-holder.ts";
import { GatewayMetrics, measuredSkills } from "./telemetry/gateway-metrics.ts";
import { UsageFeed } from "./telemetry/usage-feed.ts";

/** The context of pages and of handlers that serve skill content: the gateway's parts and its running state. */
export interface RunningContext extends GatewayContext {
  readonly usage: UsageFeed;
  readonly uses: NonNullable<SessionPorts["uses"]>;
  readonly metrics: GatewayMetrics;
  readonly installProgress: InstallProgress;
  readonly sessions: SessionHolder;
  readonly mounted: MountedTokens;
  readonly calls: RunningCalls;
  readonly views: ViewVersion;
  /** The audit log as a tree, for proofs. */
  readonly logTree: LogTree;
  readonly responses: ResponseCache;
  readonly lists: SkillLists;
  /** Bytes of recently read small files. */
  readonly fileBytes: SmallFileCache;
  readonly archives: ArchiveCache;
  readonly diffs: DiffCache;
  /** Limits for expensive work and for uploads. */
  readonly gates: { readonly heavy: HeavyGate; readonly receiving: HeavyGate };
  /** Discovery artifacts of public skills, by tree hash. */
  readonly artifacts: LRUCache<Digest, Artifact>;
  /** The catalogue of a viewer, as a session shows it. */
  readonly catalogue: (request: CatalogueRequest, viewer: Viewer) => Promise<Catalogue>;
  /** The files of a visible skill, without their bytes. */
  readonly fileList: (from: "library" | "skills", viewer: Viewer, id: string) => Promise<SkillFileList>;
  /** The console, when it is built. */
  readonly site?: ConsoleSite;
  /** The documents, when they are rendered. */
  readonly docsSite?: ConsoleSite;
  /** Dependency checks, when the gateway runs them. */
  readonly work?: DependencyWork;
}

/** The download of a public skill. It depends on the files alone. */
export interface Artifact {
  readonly type: "skill-md" | "archive";
  readonly digest: Digest;
  readonly paths: readonly string[];
}

export interface SkillFileList {
  readonly files: readonly SkillFile[];
  readonly treeHash: Digest;
  readonly revision: number | undefined;
}

/** The members of a library that return instructions or file contents. */
type ContentMember = "read" | "resource" | "copy";

/** A library without access to content. */
type CatalogueOf<L> = Omit<L, ContentMember>;

/** A registry for functions that change or describe skills. TypeScript takes the first signature of `get`. */
type CatalogueRegistry = {
  readonly store: { readonly blobs: { get(digest: Digest): Promise<unknown> } };
} & RegistryContext;

/**
 * The context of every other handler: it can find and describe skills, and cannot read their content. A route whose
 * handler needs content must declare it in the route table, and its responses are then recorded.
 */
export interface CatalogueContext
  extends Omit<RunningContext, "registry" | "library" | "skills" | "fileBytes" | "archives" | "diffs"> {
  readonly registry: CatalogueRegistry;
  readonly library: CatalogueOf<IndexedLibrary>;
  readonly skills: CatalogueOf<RegistryLibrary>;
}

const heavyBounds = { ofKey: 4, ofAll: 8, waiting: 64, waitMs: 10_000 } as const;
/** An upload is stored on disk and its sender may be slow, so more of them may run at once. */
const receivingBounds = { ...heavyBounds, ofAll: 32 } as const;

export interface LiveParts {
  readonly countSockets: () => number;
}

/** Adds the running state of a gateway; `openGateway` closes it. */
export function runningContext(context: GatewayContext, { countSockets }: LiveParts): RunningContext {
  const { registry, timers, log, library, skills, inbox } = context;
  const usage = new UsageFeed({
    timers,
    onError: (error) => log({ level: "error", event: "usage.failed", error }),
    onEvent: (stored) => metrics.add(stored),
  });
  const metrics = new GatewayMetrics({
    ...measuredSkills(context),
    countQuestions: async () => (await inbox.list()).length,
    countSockets,
  });
  usage.start(registry.store);
  context.onReload?.((ms) => metrics.noteReload(ms));
  context.onGuardScan?.((ms, outcome) => metrics.noteGuard(ms, outcome));
  const observe = (started: StartedRequest) => {
    const ends = [metrics.observe(started), context.observe?.(started)];
    return (status: number) => {
      for (const end of ends) end?.(status);
    };
  };
  const uses = async () => usesOf(usage.usage);
  const { store, clock, limits } = registry;
  const onError = (error: unknown) => log({ level: "error", event: "view.failed", error });
  const views = new ViewVersion({ library, store, clock, onError });
  const observed = { ...registry, store: observedStore(store, () => views.expire()) };
  const sessions = new GatewaySessions({ ...context, registry: observed, uses });
  const work = dependencyWork({ ...context, registry: observed });
  return {
    ...context,
    registry: observed,
    ...(work === undefined ? {} : { work }),
    ...(context.console === undefined ? {} : { site: readConsole(context.console) }),
    ...(context.docs === undefined ? {} : { docsSite: readConsole(context.docs) }),
    usage,
    uses,
    metrics,
    installProgress: new InstallProgress(),
    observe,
    sessions,
    calls: new RunningCalls({ registry, timers, log }),
    mounted: new MountedTokens({ mounts: context.mounts ?? [], clock, timers, log }),
    views,
    logTree: new LogTree(store),
    responses: new ResponseCache(views, clock),
    lists: new SkillLists({ library, skills }),
    fileBytes: new SmallFileCache(),
    archives: new ArchiveCache(),
    diffs: new DiffCache(),
    gates: {
      heavy: new HeavyGate(heavyBounds, timers),
      receiving: new HeavyGate(receivingBounds, timers),
    },
    artifacts: new LRUCache({ max: 20_000 }),
    catalogue: async (request, viewer) => {
      const { manifest } = await agentFor(viewer.agent, viewer.user, registry);
      return await sessionCatalogue(request, { limits, uses, pinned: manifest?.pins ?? [] }, viewer, library);
    },
    fileList: async (from, viewer, id) => {
      const { files, treeHash, entry } = await { library, skills }[from].read(viewer, id, {
        hasFolder: false,
      });
      return { files, treeHash, revision: entry.revision };
    },
  };
}

/** The same store with a callback after each transaction, so that a client can read its own writes. */
function observedStore(store: RegistryStore, onTransaction: () => void): RegistryStore {
  return {
    ...store,
    transaction: async (work) => {
      try {
        return await store.transaction(work);
      } finally {
        // A failed transaction may have been committed.
        onTransaction();
      }
    },
  };
}
