import type { Program } from "../shared/program.ts";
import { checkCommand } from "./check-command.ts";
import { initCommand } from "./init-command.ts";
import { packCommand } from "./pack-command.ts";

/** The program, with the folder that its templates are in. */
export function makeProgram(assets: string): Program {
  return {
    name: "scripts/skill-creator.mjs",
    summary: "Start, check and pack Agent Skills where the skillhold command is not at hand",
    commands: [initCommand(assets), checkCommand, packCommand],
  };
}
