import type { Readiness } from "@skillhold/protocol";
import type { Openclaw } from "./openclaw.ts";

/** The machine a skill would work on, as far as readiness asks. */
export interface Host {
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string;
  /** Whether the variable has a value for runs of this skill. */
  hasEnv(name: string, skill: string): boolean;
  hasBin(name: string): boolean;
  hasConfig(path: string): boolean;
}

const PROGRAM = "the program";
const PROGRAMS = "none of the programs";

/** Whether a reason is about a program: what else is missing may still be handed to a run. */
export function isAboutProgram(reason: string): boolean {
  return reason.startsWith(PROGRAM) || reason.startsWith(PROGRAMS);
}

/** Whether a skill can do its work on a host, and each reason why not. The gravest reason names the state. */
export function readinessOf(needs: Pick<Openclaw, "requires" | "os">, host: Host, skill = ""): Readiness {
  const { requires } = needs;
  const unsupported =
    needs.os.length > 0 && !needs.os.includes(host.platform)
      ? [`made for ${needs.os.join(", ")}; this is ${host.platform}`]
      : [];
  const missing = requires.bins
    .filter((bin) => !host.hasBin(bin))
    .map((bin) => `${PROGRAM} ${bin} is not installed`);
  if (requires.anyBins.length > 0 && !requires.anyBins.some((bin) => host.hasBin(bin))) {
    missing.push(`${PROGRAMS} ${requires.anyBins.join(", ")} is installed`);
  }
  const unset = [
    ...requires.env
      .filter((name) => !host.hasEnv(name, skill))
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
