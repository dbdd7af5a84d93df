/** Time as a port, timers included, so that tests never wait. */
export interface Time {
  now(): Date;
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Calls back after some milliseconds; returns the way to cancel it. */
  after(ms: number, callback: () => void): () => void;
}

/** The machine's clock and timers. */
export function systemTime(): Time {
  return {
    now: () => new Date(),
    elapsed: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Waits, unless the signal aborts first. */
export function pause(ms: number, time: Time, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = time.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
