import type { Behaviour } from "./skill-server.ts";

/** One way to cheat, and what must come of it: a code, and where it is found. */
export interface Attack {
  readonly name: string;
  /** server: nothing of it is shown. entry: the skill is refused. read: it is listed, and reading it fails. */
  readonly at: "server" | "entry" | "read";
  readonly code: string;
  readonly make: () => Behaviour;
  /** Limits that make the attack short. */
  readonly limits?: Readonly<Record<string, number>>;
  /** What is read besides SKILL.md. */
  readonly path?: string;
}
