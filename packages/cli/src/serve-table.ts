import type { CommandSpec } from "./program.ts";
import { storeOption } from "./store-option.ts";

/** Longer than requests are given to end, so that what comes after them is done as well. */
const GRACE_MS = 25_000;

/** The command that goes on until it is ended. */
export const serveTable: readonly CommandSpec[] = [
  {
    name: "serve",
    summary: "start the gateway: skills over HTTP and WebSocket",
    arguments: [],
    options: [
      { flags: "--port <number>", summary: "by default 7878, or the next that is free; 0 for any" },
      { flags: "--host <address>", summary: "the address to listen at", default: "127.0.0.1" },
      { flags: "--data <folder>", summary: "keep everything in this folder; by default your data folder" },
      storeOption,
      {
        flags: "--root <folder>",
        summary: "serve the skills of this folder, too; may be repeated",
        repeats: true,
      },
      {
        flags: "--allow-host <host>",
        summary: "answer requests for this host:port as well; may be repeated",
        repeats: true,
      },
      {
        flags: "--allow-origin <origin>",
        summary: "let pages of this origin call it; may be repeated",
        repeats: true,
      },
      { flags: "--behind-tls", summary: "TLS ends in front of it: links and cookies are for https" },
      { flags: "--insecure-bind", summary: "listen where others can reach it, without TLS" },
      {
        flags: "--limit <name=number>",
        summary: "set a limit that /v1/status lists; may be repeated",
        repeats: true,
      },
      { flags: "--discovery", summary: "serve public skills to anyone, where clients look for them" },
      { flags: "--no-seed", summary: "leave out the skills that come with Skillhold" },
    ],
    graceMs: GRACE_MS,
    examples: [
      "serve",
      "serve --port 8080 --data /srv/skillhold",
      "serve --behind-tls --allow-host skills.example.org",
    ],
    load: () => import("./command/serve.ts"),
  },
];
