import type { Viewer } from "@skillhold/core/library";
import type { Sandbox } from "@skillhold/core/run";
import { HeavyGate } from "@skillhold/gateway";

/** Programs of skills that run at a time, for one who asks and for all; tools that wait to be called again count. */
const bounds = { ofKey: 16, ofAll: 64, waiting: 256, waitMs: 30_000 } as const;

/**
 * Holds what runs of skills to what a machine can bear: each has limits of its own, and many together would still take
 * all of it from the others.
 */
export function gatedRuns(
  sandbox: Sandbox,
  gate: Pick<HeavyGate, "pass"> = new HeavyGate(bounds),
): (viewer: Viewer) => Sandbox {
  return ({ user, agent }) => {
    const key = JSON.stringify([user, agent]);
    return {
      id: sandbox.id,
      probe: () => sandbox.probe(),
      start: async (spec) => {
        const started = Promise.withResolvers<Awaited<ReturnType<Sandbox["start"]>>>();
        const work = async () => {
          const process = await sandbox.start(spec);
          started.resolve(process);
          await process.exited;
        };
        // What fails after the start is told to who waits for the exit.
        gate.pass(key, work, spec.signal).catch(started.reject);
        return await started.promise;
      },
    };
  };
}
