import { toggleCommand } from "./toggle.ts";

/** Switches a skill off for everyone. */
export const command = toggleCommand(false, ["disable pdf", "disable pdf --source registry"]);
