import { toggleCommand } from "./toggle.ts";

/** Switches a skill on. */
export const command = toggleCommand(true, ["enable pdf", "enable my-skill --root ./skills"]);
