import { STORE_LABEL } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import type { Opened } from "./open.ts";
import type { Io } from "./terminal/output.ts";
import { openProgress } from "./terminal/progress.ts";

/**
 * Lays out the skills of the store where their entries say that they are, for what looks into folders. One that cannot
 * be read is not there afterwards either, and whoever looks into it says so.
 */
export async function layOutStored(
  { library, viewer, store }: Pick<Opened, "library" | "viewer" | "store">,
  skills: readonly { readonly id: string; readonly source: string }[],
  io: Io,
): Promise<void> {
  const stored = store === undefined ? [] : skills.filter(({ source }) => source === STORE_LABEL);
  const progress = openProgress(io, "laying out", { afterMs: 400 });
  try {
    for (const [index, { id }] of stored.entries()) {
      io.signal.throwIfAborted();
      progress.update(index, stored.length, id);
      // Whatever is read is laid out.
      await library.read(viewer, id).catch((error: unknown) => {
        if (!(error instanceof SkillError)) throw error;
      });
    }
  } finally {
    progress.stop();
  }
}
