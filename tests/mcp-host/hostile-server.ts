import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Attack } from "./attack.ts";
import { attackEntries } from "./hostile-entry.ts";
import { attackLists } from "./hostile-list.ts";
import { attackReads } from "./hostile-read.ts";
import { makeServer } from "./skill-server.ts";

export const attacks: readonly Attack[] = [...attackLists, ...attackEntries, ...attackReads];

/** As a program, runs the attack with the given name. */
const [, file, name] = process.argv;
if (file === import.meta.filename) {
  const attack = attacks.find((each) => each.name === name);
  if (attack === undefined) throw new Error(`There is no attack ${name}.`);
  const behaviour = attack.make();
  serveStdio(() => makeServer(behaviour));
}
