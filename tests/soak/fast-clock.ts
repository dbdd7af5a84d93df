/** A clock that all processes share that are given the same start: so many times faster than time since then. */
export function fastClock(startedAt: number, speed: number): { now(): Date } {
  return { now: () => new Date(startedAt + (Date.now() - startedAt) * speed) };
}
