import type { RuntimeKind } from "@skillhold/core/run";
import { findRuntime, type Runtime } from "@skillhold/sandbox/backend";

/** Finds each interpreter once; one that is not there is looked for again. */
export function rememberRuntimes(
  find: (kind: RuntimeKind) => Promise<Runtime> = (kind) => findRuntime(kind),
) {
  const known = new Map<RuntimeKind, Promise<Runtime>>();
  return (kind: RuntimeKind): Promise<Runtime> => {
    const found = known.get(kind);
    if (found !== undefined) return found;
    const finding = find(kind).catch((error: unknown) => {
      known.delete(kind);
      throw error;
    });
    known.set(kind, finding);
    return finding;
  };
}
