/** Time as a port, so that tests advance it and never wait. */
export interface Timers {
  /** Milliseconds that never go back, from an arbitrary start. */
  now(): number;
  /** Calls back once. Unless it is a background timer, the process stays alive until then. */
  after(ms: number, callback: () => void, options?: TimerOptions): CancelTimer;
  /** Calls back again and again, in the background. */
  every(ms: number, callback: () => void): CancelTimer;
}

export interface TimerOptions {
  readonly isBackground?: boolean;
}

/** Can be called twice, and after the timer has fired. */
export type CancelTimer = () => void;

/** The machine's timers. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  after: (ms, callback, { isBackground = false } = {}) => {
    const timer = setTimeout(callback, ms);
    if (isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
  every: (ms, callback) => {
    const timer = setInterval(callback, ms).unref();
    return () => clearInterval(timer);
  },
};

export interface PauseOptions extends TimerOptions {
  /** Ends the pause early. */
  readonly signal?: AbortSignal;
}

/** Resolves after some milliseconds, or when the signal aborts. */
export async function pause(ms: number, timers: Timers, options: PauseOptions = {}): Promise<void> {
  const { signal } = options;
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(ms, resolve, options);
  const stop = () => resolve();
  signal?.addEventListener("abort", stop, { once: true });
  await promise;
  cancel();
  signal?.removeEventListener("abort", stop);
}
