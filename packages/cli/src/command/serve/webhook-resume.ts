import { switchCommand } from "./webhook-switch.ts";

export const command = switchCommand("resume");
