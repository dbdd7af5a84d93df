import { constants } from "node:os";
import type { SandboxExit } from "@skillhold/core/run";
import type { Ending } from "./process.ts";

/** As a shell tells it. What stands between us and a program ends by a code where the program ended by a signal. */
export function exitOf({ code, signal }: Ending): SandboxExit {
  if (signal !== null) return { code: 128 + constants.signals[signal], signal };
  const number = (code ?? 1) - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: code ?? 1, signal: name };
}
