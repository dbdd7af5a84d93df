import type { OptionSpec } from "./program.ts";

/** Which store a command works on; `store.ts` reads it. */
export const storeOption: OptionSpec = {
  flags: "--store <url>",
  summary:
    "the store: sqlite:<file> or postgres://…; by default $SKILLHOLD_STORE, which unlike an option hides a password from other users, or the one in your data folder",
};

const IN_WHOSE_NAME = "in whose name; by default $SKILLHOLD_USER, or the name you are logged in as";

/** Who publishes and changes skills. */
export const actorOptions: readonly OptionSpec[] = [
  roleOption("as whom: what an admin publishes is trusted as the organisation's"),
  { flags: "--user <name>", summary: IN_WHOSE_NAME },
];

/** Who looks at what is kept of skills, or says who may use them. */
export const askerOptions: readonly OptionSpec[] = [
  roleOption("as whom: an admin may do so with every skill"),
  { flags: "--user <name>", summary: IN_WHOSE_NAME },
];

/** The same where `--user` names someone else. */
export const granterOptions: readonly OptionSpec[] = [
  roleOption("as whom: an admin may do so with every skill"),
  { flags: "--by <name>", summary: IN_WHOSE_NAME },
];

export function roleOption(summary: string): OptionSpec {
  return { flags: "--role <name>", summary, choices: ["publisher", "admin"], default: "publisher" };
}
