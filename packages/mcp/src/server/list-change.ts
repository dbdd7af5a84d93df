import type { McpServer } from "@modelcontextprotocol/server";
import type { Library, LibraryChange } from "@skillhold/core/library";
import type { CancelTimer, Timers } from "@skillhold/core/port";

/** Each layer of a library reports an edit; changes within this time are merged. */
const QUIET_MS = 20;

/** Calls the listener once for changes that arrive together; returns the function that stops it. */
export function onSettledChange(
  library: Pick<Library, "onChange">,
  listener: (change: LibraryChange) => void,
  timers: Timers,
): () => void {
  let pending: LibraryChange[] = [];
  let cancel: CancelTimer | undefined;
  const stop = library.onChange((change) => {
    pending.push(change);
    cancel ??= timers.after(QUIET_MS, () => {
      cancel = undefined;
      const changes = pending;
      pending = [];
      listener(merge(changes));
    });
  });
  return () => {
    cancel?.();
    stop();
  };
}

function merge(changes: readonly LibraryChange[]): LibraryChange {
  return {
    added: changes.flatMap(({ added }) => added),
    changed: changes.flatMap(({ changed }) => changed),
    removed: changes.flatMap(({ removed }) => removed),
    broken: changes.flatMap(({ broken }) => broken),
  };
}

/** Notifies a connected client that its lists changed. */
export function notifyListsChanged({ server }: McpServer, onError: (error: unknown) => void): void {
  if (server.transport === undefined) return;
  for (const notification of [
    server.sendToolListChanged(),
    server.sendPromptListChanged(),
    server.sendResourceListChanged(),
  ])
    notification.catch(onError);
}
