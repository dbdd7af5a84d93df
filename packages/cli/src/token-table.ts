import type { CommandGroup } from "./overview.ts";
import type { CommandSpec, OptionSpec } from "./program.ts";
import { storeOption } from "./store-option.ts";

const token: CommandGroup = {
  name: "token",
  summary: "let people and programs in at a gateway, and out again",
};

const byOption: OptionSpec = {
  flags: "--by <name>",
  summary: "in whose name; by default $SKILLHOLD_USER, or the name you are logged in as",
};

/** The commands over tokens. Whoever can open the store is an administrator of it. */
export const tokenTable: readonly CommandSpec[] = [
  {
    name: "create",
    group: token,
    summary: "make a token, and print it this once",
    arguments: [],
    options: [
      { flags: "--name <text>", summary: "what it is for, in a few words" },
      {
        flags: "--role <name>",
        summary: "what its bearer may do",
        choices: ["admin", "publisher", "agent", "viewer"],
      },
      { flags: "--user <name>", summary: "as whom; by default you" },
      { flags: "--agent <key>", summary: "as which agent; the role agent needs one" },
      { flags: "--days <count>", summary: "for how long; by default 90" },
      byOption,
      storeOption,
    ],
    examples: [
      'token create --name "CI of docs" --role publisher --days 30',
      "token create --name writer --role agent --agent writer --user bob",
    ],
    load: () => import("./command/token-create.ts"),
  },
  {
    name: "list",
    group: token,
    summary: "list the tokens there are, without what is secret of them",
    arguments: [],
    options: [storeOption],
    examples: ["token list"],
    load: () => import("./command/token-list.ts"),
  },
  {
    name: "revoke",
    group: token,
    summary: "revoke a token; it stops working at once",
    arguments: [{ usage: "<id>", summary: "its id, as `token list` prints it" }],
    options: [
      { flags: "--dry-run", summary: "say what would happen, and change nothing" },
      byOption,
      storeOption,
    ],
    examples: ["token revoke 7b0c1a52-6f0e-4f0a-9d3e-1f2a3b4c5d6e"],
    load: () => import("./command/token-revoke.ts"),
  },
  {
    name: "sign-in",
    group: token,
    summary: "print a code that signs a person in at a gateway, once",
    arguments: [],
    options: [
      { flags: "--url <address>", summary: "the gateway's; prints the whole link" },
      { flags: "--user <name>", summary: "as whom; by default you" },
      {
        flags: "--role <name>",
        summary: "what they may do; by default admin",
        choices: ["admin", "publisher", "viewer"],
      },
      byOption,
      storeOption,
    ],
    examples: ["token sign-in", "token sign-in --url http://localhost:7878 --user bob --role publisher"],
    load: () => import("./command/token-sign-in.ts"),
  },
];
