import type { Readiness } from "@skillhold/protocol";
import type { Openclaw } from "./openclaw.ts";

/** The machine a skill would work on, as far as readiness asks. */
export interface Host {
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string;
  hasEnv(name: string): boolean;
  hasBin(name: string): boolean;
  hasConfig(path: string): boolean;
}

/** Whether a skill can do its work on a host, and each reason why not. The gravest reason names the state. */
export function readinessOf(needs: Pick<Openclaw, "requires" | "os">, host: Host): Readiness {
  const { requires } = needs;
  const unsupported =
    needs.os.length > 0 && !needs.os.includes(host.platform)
      ? [`made for ${needs.os.join(", ")}; this is ${host.platform}`]
      : [];
  const missing = requires.bins
    .filter((bin) => !host.hasBin(bin))
    .map((bin) => `the program ${bin} is not installed`);
  if (requires.anyBins.length > 0 && !requires.anyBins.some((bin) => host.hasBin(bin))) {
    missing.push(`none of the programs ${requires.anyBins.join(", ")} is installed`);
  }
  const unset = [
    ...requires.env
      .filter((name) => !host.hasEnv(name))
      .map((name) => `the environment variable ${name} is not set`),
    ...requires.config
      .filter((path) => !host.hasConfig(path))
      .map((path) => `the configuration ${path} is absent`),
  ];
  const reasons = [...unsupported, ...missing, ...unset];
  if (unsupported.length > 0) return { state: "unsupported", reasons };
  if (missing.length > 0) return { state: "missing-deps", reasons };
  return { state: unset.length > 0 ? "needs-config" : "ready", reasons };
}
