import type { Behaviour } from "./skill-server.ts";

/** One attack, with the expected code and where it appears. */
export interface Attack {
  readonly name: string;
  /** server: no skill is shown. entry: the skill is rejected. read: the skill is listed, and reading it fails. */
  readonly at: "server" | "entry" | "read";
  readonly code: string;
  readonly make: () => Behaviour;
  /** The time limit that ends the attack; the test does not wait for it. */
  readonly outlasts?: "mcpListMs" | "mcpReadMs";
  /** Lower limits that shorten the attack. */
  readonly limits?: Readonly<Record<string, number>>;
  /** The files to read besides SKILL.md. */
  readonly path?: string;
}
