import { readFileSync } from "node:fs";

export interface PoolUser {
  readonly uid: number;
  readonly gid: number;
  release(): void;
}

interface Range {
  readonly first: number;
  readonly count: number;
}

/**
 * Numbers that nobody hands out: systemd's list of users names both as unused. The first lies above those of
 * containers and of directory services, and below 2^31; the second is for containers, which often have 65536 users.
 * Both keep off 61184 to 65519, from which systemd takes users for its services.
 */
export const POOLS: readonly Range[] = [
  { first: 2_100_000_000, count: 4000 },
  { first: 60_578, count: 600 },
];

const taken = new Set<number>();

/**
 * A user for one run, when root starts it: a program that runs as root could write what belongs to root in /proc.
 * No two runs of this process share one, and two processes start at different places. Undefined where our own
 * namespace does not have these users.
 */
export function takeUser(maps: UserMaps = readMaps()): PoolUser | undefined {
  const pool = POOLS.find((range) => maps.every((map) => map.some((line) => covers(line, range))));
  if (pool === undefined) return undefined;
  const start = (process.pid * 61) % pool.count;
  for (let step = 0; step < pool.count; step += 1) {
    const uid = pool.first + ((start + step) % pool.count);
    if (taken.has(uid)) continue;
    taken.add(uid);
    return { uid, gid: uid, release: () => taken.delete(uid) };
  }
  return undefined;
}

/** Of users and of groups: lines of `first inside, first outside, length`. */
export type UserMaps = readonly (readonly (readonly number[])[])[];

function covers([first = 0, , length = 0]: readonly number[], range: Range): boolean {
  return first <= range.first && first + length >= range.first + range.count;
}

let maps: UserMaps | undefined;

/** A process cannot change its own. */
function readMaps(): UserMaps {
  maps ??= ["uid_map", "gid_map"].map((name) => {
    const lines = readFileSync(`/proc/self/${name}`, "latin1").trim().split("\n");
    return lines.map((line) => line.trim().split(/\s+/).map(Number));
  });
  return maps;
}
