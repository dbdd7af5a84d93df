import { statfs } from "node:fs/promises";
import { pause, type Timers } from "@skillhold/core/port";
import type { SandboxProbe } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isAdministrator } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { Handlers } from "../http/handler.ts";

const READY_MS = 5000;

export const gatewayHandlers: Pick<Handlers, "getStatus" | "getSandbox" | "isAlive" | "isReady"> = {
  getStatus: async ({ principal }, context) => {
    const { version, registry, startedAt, library, sources } = context;
    const viewer = await requestViewer(principal, {}, context);
    // Only administrators see the paths of folders.
    const shown = sources.map(({ path, ...source }) =>
      isAdministrator(principal) && path !== undefined ? { ...source, path } : source,
    );
    return {
      data: {
        version,
        engine: registry.store.engine,
        startedAt,
        skills: (await library.list(viewer)).length,
        sandbox: context.runs?.(viewer).sandbox.id ?? "none",
        isDiscoverable: context.options.isDiscoverable,
        limits: registry.limits,
        sources: shown,
      },
    };
  },
  getSandbox: async (_call, context) => {
    const { id, version, isAvailable, problem, checks, enforced } = await probe(context);
    const more = {
      ...(version === undefined ? {} : { version }),
      ...(problem === undefined ? {} : { problem }),
    };
    return { data: { ok: isAvailable, sandbox: id, ...more, checks, enforced } };
  },
  isAlive: async () => ({ data: { status: "ok" } }),
  isReady: async (_call, { registry: { store }, closing, startup, options: { temporary }, timers }) => {
    if (closing?.aborted === true) throw new SkillError("SHUTTING_DOWN", "The gateway is shutting down.");
    const { pending, warnings = [] } = startup?.() ?? {};
    if (pending !== undefined) throw new SkillError("STARTING", pending);
    await Promise.race([Promise.all([store.lastEvent(), rejectFullDisk(store, temporary)]), tooLate(timers)]);
    return { data: { status: "ready", ...(warnings.length === 0 ? {} : { warnings: [...warnings] }) } };
  },
};

/** Below this, the next records and uploads are likely to fail. */
const MIN_FREE_BYTES = 8 * 1024 * 1024;

async function rejectFullDisk(
  store: Pick<GatewayContext["registry"]["store"], "freeBytes">,
  temporary: string,
): Promise<void> {
  const [own, { bavail, bsize }] = await Promise.all([store.freeBytes(), statfs(temporary)]);
  const free = Math.min(own ?? Number.POSITIVE_INFINITY, bavail * bsize);
  if (free < MIN_FREE_BYTES)
    throw new SkillError("DISK_FULL", `The gateway has only ${free} bytes of free space.`);
}

async function tooLate(timers: Timers): Promise<never> {
  await pause(READY_MS, timers, { isBackground: true });
  throw new SkillError("STORE_FAILED", `The store did not answer within ${READY_MS / 1000} s.`);
}

const probes = new WeakMap<object, Promise<SandboxProbe>>();

/** Requests during a probe share its result, because a probe is slow and uses the whole machine. */
function probe({ sandbox }: Pick<GatewayContext, "sandbox">): Promise<SandboxProbe> {
  if (sandbox === undefined)
    throw new SkillError("SANDBOX_UNAVAILABLE", "This gateway has no sandbox and cannot run scripts.");
  const running = probes.get(sandbox) ?? sandbox.probe().finally(() => probes.delete(sandbox));
  probes.set(sandbox, running);
  return running;
}
