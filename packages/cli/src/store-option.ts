import type { OptionSpec } from "./program.ts";

/** Which store a command works on; `store.ts` reads it. */
export const storeOption: OptionSpec = {
  flags: "--store <url>",
  summary:
    "the store: sqlite:<file> or postgres://…; by default $SKILLHOLD_STORE, or the one in your data folder",
};

/** Who changes the store. */
export const actorOptions: readonly OptionSpec[] = [
  {
    flags: "--role <name>",
    summary: "as whom: what an admin publishes is trusted as the organisation's",
    choices: ["publisher", "admin"],
    default: "publisher",
  },
  {
    flags: "--user <name>",
    summary: "in whose name; by default $SKILLHOLD_USER, or the name you are logged in as",
  },
];
