import type { IndexCache, IndexedLibrary, LiveReloadOptions } from "@skillhold/core/library";
import type { AuditSink, Clock } from "@skillhold/core/port";
import type { Machine } from "../place/machine.ts";
import { DiscoveryLog, recordShadowing } from "../store/discovery-log.ts";
import { findOwnStore, type StoreChoice } from "../store/registry-layer.ts";
import { UserLog } from "../store/user-log.ts";

/** The log of a stack, and the part of it that records discovered and shadowed skills. */
export interface StackLog {
  readonly audit: AuditSink;
  readonly discoveries: AuditSink | undefined;
}

/** Keeps no record. */
export const noLog: StackLog = { audit: { record: () => {} }, discoveries: undefined };

/** The user's log. It is opened, and created, by the first event. */
export function openUserLog(
  { store }: Pick<StoreChoice, "store">,
  machine: Machine,
  cache: IndexCache | undefined,
  onClose: (step: () => unknown) => void,
): StackLog {
  const url = store === false ? undefined : findOwnStore(machine);
  if (url === undefined) return noLog;
  const audit = new UserLog(machine);
  const discoveries = new DiscoveryLog({
    audit,
    log: audit,
    cache,
    name: url,
    onError: (error) =>
      machine.warn(`Discovered skills were not recorded: ${error instanceof Error ? error.message : error}`),
  });
  onClose(async () => {
    discoveries.save();
    await audit.close();
  });
  return { audit, discoveries };
}

/** Records which skills a layer shadows, now and after each change. */
export async function followShadowing(
  library: IndexedLibrary,
  audit: AuditSink,
  clock: Clock,
  watch: LiveReloadOptions | undefined,
): Promise<void> {
  await recordShadowing(library, audit, clock);
  if (watch !== undefined)
    library.onChange(() => void recordShadowing(library, audit, clock).catch(watch.onError));
}
