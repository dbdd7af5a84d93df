import type { Digest } from "@skillhold/protocol";
import { MountedTokens } from "./auth/mounted-token.ts";
import { AnswerCache } from "./cache/answer-cache.ts";
import { ArchiveCache } from "./cache/archive-cache.ts";
import { BlobCache } from "./cache/blob-cache.ts";
import { BoundedMap } from "./cache/bounded-map.ts";
import { DiffCache } from "./cache/diff-cache.ts";
import { notedStore } from "./cache/noted-store.ts";
import { ViewVersion } from "./cache/view-version.ts";
import { type DependencyWork, dependencyWork } from "./dependency/dependency-work.ts";
import type { GatewayContext, StartedRequest } from "./gateway-context.ts";
import { HeavyGate } from "./limit/heavy-gate.ts";
import type { Artefact } from "./page/artefact.ts";
import { type ConsoleSite, readConsole } from "./page/console-file.ts";
import { GatewaySessions } from "./session/gateway-sessions.ts";
import { RunningCalls } from "./session/running-calls.ts";
import type { SessionHolder } from "./session/session-holder.ts";
import { GatewayMetrics } from "./telemetry/gateway-metrics.ts";
import { measuredSkills } from "./telemetry/measured-skill.ts";
import { UsageFeed } from "./telemetry/usage-feed.ts";

/** What handlers work with: what the gateway was given, and what it keeps while it runs. */
export interface RunningContext extends GatewayContext {
  readonly usage: UsageFeed;
  readonly metrics: GatewayMetrics;
  readonly sessions: SessionHolder;
  readonly mounted: MountedTokens;
  readonly calls: RunningCalls;
  /** Tells changes of what anyone may see. */
  readonly views: ViewVersion;
  readonly answers: AnswerCache;
  /** Bytes of files that were read a short time ago. */
  readonly blobs: BlobCache;
  readonly archives: ArchiveCache;
  readonly diffs: DiffCache;
  /** What takes much waits here: to be worked on, or, for what is sent, to be received. */
  readonly gates: { readonly heavy: HeavyGate; readonly receiving: HeavyGate };
  /** What is fetched of public skills, by the hash of their files. */
  readonly artefacts: BoundedMap<Digest, Artefact>;
  /** The console, where there is one. */
  readonly site?: ConsoleSite;
  /** What goes on about dependencies, where they are looked at. */
  readonly work?: DependencyWork;
}

const heavyBounds = { ofKey: 4, ofAll: 8, waiting: 64, waitMs: 10_000 } as const;
/** What is received lies on disk, and its sender may be slow: one keeps fewer of the others from what they want. */
const receivingBounds = { ...heavyBounds, ofAll: 32 } as const;

export interface LiveParts {
  readonly countSockets: () => number;
}

/** Adds what a gateway keeps by itself; `openGateway` closes it. */
export function runningContext(context: GatewayContext, { countSockets }: LiveParts): RunningContext {
  const { registry, log, library, desk } = context;
  const usage = new UsageFeed(
    (error) => log({ level: "error", event: "usage.failed", error }),
    (stored) => metrics.add(stored),
  );
  const metrics = new GatewayMetrics({
    ...measuredSkills(context),
    countQuestions: async () => (await desk.list()).length,
    countSockets,
  });
  usage.start(registry.store);
  context.onReload?.((ms) => metrics.noteReload(ms));
  const observe = (started: StartedRequest) => {
    const ends = [metrics.observe(started), context.observe?.(started)];
    return (status: number) => {
      for (const end of ends) end?.(status);
    };
  };
  const sessions = new GatewaySessions(context);
  const { store, clock } = registry;
  const onError = (error: unknown) => log({ level: "error", event: "view.failed", error });
  const views = new ViewVersion({ library, store, clock, onError });
  const answers = new AnswerCache(views, clock);
  const noted = { ...registry, store: notedStore(store, () => views.expire()) };
  const work = dependencyWork({ ...context, registry: noted });
  return {
    ...context,
    registry: noted,
    ...(work === undefined ? {} : { work }),
    ...(context.console === undefined ? {} : { site: readConsole(context.console) }),
    usage,
    metrics,
    observe,
    sessions,
    calls: new RunningCalls({ registry, log }),
    mounted: new MountedTokens({ mounts: context.mounts ?? [], clock, log }),
    views,
    answers,
    blobs: new BlobCache(),
    archives: new ArchiveCache(),
    diffs: new DiffCache(),
    gates: { heavy: new HeavyGate(heavyBounds), receiving: new HeavyGate(receivingBounds) },
    artefacts: new BoundedMap(20_000),
  };
}
