import type { ArgumentSpec } from "./overview.ts";
import type { CommandSpec } from "./program.ts";

const gatewayArgument: ArgumentSpec = {
  usage: "[url]",
  summary: "the gateway's address; by default $SKILLHOLD_GATEWAY, or the only one you are logged in at",
};

/** The commands for those who use a gateway elsewhere. */
export const remoteTable: readonly CommandSpec[] = [
  {
    name: "login",
    summary: "keep a token for a gateway elsewhere",
    arguments: [{ usage: "<url>", summary: "the gateway's address" }],
    options: [
      { flags: "--insecure", summary: "send the token without TLS to a machine that is not this one" },
    ],
    examples: ["login https://skills.example.org", "login http://localhost:7878 < token.txt"],
    load: () => import("./command/login.ts"),
  },
  {
    name: "logout",
    summary: "forget the token for a gateway",
    arguments: [gatewayArgument],
    options: [],
    examples: ["logout https://skills.example.org"],
    load: () => import("./command/logout.ts"),
  },
  {
    name: "whoami",
    summary: "say who you are to a gateway",
    arguments: [gatewayArgument],
    options: [],
    examples: ["whoami", "whoami https://skills.example.org --json"],
    load: () => import("./command/whoami.ts"),
  },
];
