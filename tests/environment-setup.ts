import { afterEach, vi } from "vitest";

// Files share a process, and `unstubEnvs` restores variables only before a test: the next file would load with those of the last test.
afterEach(() => {
  vi.unstubAllEnvs();
});
