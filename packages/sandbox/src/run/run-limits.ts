import type { RunLimits } from "@skillhold/core/run";
import type { Limits, Trust } from "@skillhold/protocol";

/** What a run of a skill of this trust may use. */
export function runLimits(trust: Trust, limits: Limits): RunLimits {
  const shared = {
    processes: limits.runProcesses,
    diskBytes: limits.runDiskBytes,
    outputBytes: limits.runOutputBytes,
  };
  switch (trust) {
    case "builtin":
    case "org":
      return {
        wallMs: limits.runTrustedMs,
        cpuMs: limits.runTrustedMs,
        memoryBytes: limits.runTrustedMemory,
        ...shared,
      };
    case "user":
      return {
        wallMs: limits.runUserMs,
        cpuMs: limits.runUserMs,
        memoryBytes: limits.runUserMemory,
        ...shared,
      };
    case "third_party":
      return {
        wallMs: limits.runThirdPartyMs,
        cpuMs: limits.runThirdPartyCpuMs,
        memoryBytes: limits.runThirdPartyMemory,
        ...shared,
      };
  }
}
