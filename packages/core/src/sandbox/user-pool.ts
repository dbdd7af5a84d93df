import { readFileSync } from "node:fs";

export interface PoolUser {
  readonly uid: number;
  readonly gid: number;
  release(): void;
}

/** Numbers that systems set aside for users without a name and without files. */
const FIRST = 61_184;
const COUNT = 4000;

const taken = new Set<number>();

/**
 * A user for one run, when root starts it: a program that runs as root could write what belongs to root in /proc.
 * No two runs of this process share one, and two processes start at different places. Undefined where our own
 * namespace does not have these users.
 */
export function takeUser(): PoolUser | undefined {
  if (!hasUsers()) return undefined;
  const start = (process.pid * 61) % COUNT;
  for (let step = 0; step < COUNT; step += 1) {
    const uid = FIRST + ((start + step) % COUNT);
    if (taken.has(uid)) continue;
    taken.add(uid);
    return { uid, gid: uid, release: () => taken.delete(uid) };
  }
  return undefined;
}

function hasUsers(): boolean {
  return [readMap("uid_map"), readMap("gid_map")].every((map) =>
    map.some(([first = 0, , length = 0]) => first <= FIRST && first + length >= FIRST + COUNT),
  );
}

/** Lines of `first inside, first outside, length`. */
function readMap(name: string): readonly (readonly number[])[] {
  const lines = readFileSync(`/proc/self/${name}`, "latin1").trim().split("\n");
  return lines.map((line) => line.trim().split(/\s+/).map(Number));
}
