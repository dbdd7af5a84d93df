import type { LogEntry } from "@skillhold/gateway";

const PATIENCE_MS = 3000;

/** Another process may hold the store for a while: who looks on is told what is waited for. */
export async function withPatience<T>(
  log: (entry: LogEntry) => void,
  work: () => Promise<T>,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const message = "The store does not answer yet: another process may hold it.";
  const timer = setTimeout(() => log({ level: "warning", event: "store.waiting", message }), patienceMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
