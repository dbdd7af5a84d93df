import type { McpServer } from "@modelcontextprotocol/server";
import type { Library, LibraryChange } from "@skillhold/core/library";

/** Layers of a library tell of one edit each for itself; so much later it is one change. */
const QUIET_MS = 20;

/** Calls back once for changes that come together; returns the way to stop. */
export function onSettledChange(
  library: Pick<Library, "onChange">,
  tell: (change: LibraryChange) => void,
): () => void {
  let pending: LibraryChange[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stop = library.onChange((change) => {
    pending.push(change);
    timer ??= setTimeout(() => {
      timer = undefined;
      const changes = pending;
      pending = [];
      tell(merge(changes));
    }, QUIET_MS);
  });
  return () => {
    clearTimeout(timer);
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

/** Tells a client that its lists are old. A client that is gone need not be told. */
export function tellListsChanged({ server }: McpServer, onError: (error: unknown) => void): void {
  if (server.transport === undefined) return;
  for (const telling of [
    server.sendToolListChanged(),
    server.sendPromptListChanged(),
    server.sendResourceListChanged(),
  ])
    telling.catch(onError);
}
