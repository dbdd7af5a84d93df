import type { Attack } from "./attack.ts";
import { fileAttacks } from "./attack-file.ts";
import { kernelAttacks } from "./attack-kernel.ts";
import { limitAttacks } from "./attack-limit.ts";
import { networkAttacks } from "./attack-network.ts";
import { processAttacks } from "./attack-process.ts";

/** All attacks, grouped by target. */
export const attacks: readonly Attack[] = [
  ...fileAttacks,
  ...processAttacks,
  ...networkAttacks,
  ...kernelAttacks,
  ...limitAttacks,
];
