import type { Program } from "../shared/program.ts";
import { checkCommand } from "./check-command.ts";
import { initCommand } from "./init-command.ts";
import { packCommand } from "./pack-command.ts";

/** Contract: `assets` is the folder of the templates. */
export function makeProgram(assets: string): Program {
  return {
    name: "scripts/skill-creator.mjs",
    summary: "Create, check and pack Agent Skills without the skillhold command",
    commands: [initCommand(assets), checkCommand, packCommand],
  };
}
