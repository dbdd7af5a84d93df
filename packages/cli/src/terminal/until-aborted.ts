import { once } from "node:events";

/** The clocks and watches of what is watched do not keep a process alive; this does, and is never due. */
const FOREVER_MS = 2 ** 31 - 1;

/** Waits for the user to interrupt. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  const alive = setInterval(() => {}, FOREVER_MS);
  try {
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    clearInterval(alive);
  }
}
