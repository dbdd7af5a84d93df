import { constants, type PathLike, readFileSync } from "node:fs";
import { chmod, chown, type FileHandle, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mount, Network, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { type FoundMount, findMount } from "./mount-source.ts";
import { makeStage, removeStage } from "./stage.ts";

/** Who a run is for the host, and what it is shown of it. */
export interface RunPlace {
  /** Undefined: the program runs as ourselves. */
  readonly user: RunUser | undefined;
  /** Interpreters and grants, as they are to be bound. */
  readonly mounts: readonly Mount[];
  /** Gives back the user, and takes away what was copied. */
  release(): Promise<void>;
}

export interface RunUser {
  readonly uid: number;
  readonly gid: number;
  /** Whether nothing else on the machine runs as this user. */
  readonly isAlone: boolean;
}

/**
 * Finds a user for the run. When root starts it, that is one of no rights at all; where folders of one other user were
 * granted, it is that user, who can reach them. Only folders of root are shown to a program that is root for the
 * host: without rights of the kernel, but with root's name. On the host's network that name would open doors, so
 * SANDBOX_UNAVAILABLE is thrown then.
 */
export async function findPlace(
  { mounts, runtimes = [], network }: SandboxSpec,
  isRoot: boolean = process.getuid?.() === 0,
): Promise<RunPlace> {
  const parts = runtimes.map(findMount);
  const grants = mounts.map(findMount);
  if (!isRoot) return { user: undefined, mounts: [...parts, ...grants], release: async () => {} };
  const folders = grants.filter((mount) => !isCopied(mount));
  const { user, giveBack } = chooseUser(folders, network);
  const files = grants.filter(isCopied);
  try {
    const copies = files.length === 0 ? undefined : await copyFiles(files, user);
    const release = async (): Promise<void> => {
      giveBack();
      if (copies !== undefined) await removeStage(copies.stage);
    };
    return { user, mounts: [...parts, ...folders, ...(copies?.mounts ?? [])], release };
  } catch (error) {
    giveBack();
    throw error;
  }
}

const COPIED_BYTES = 1024 * 1024;

/** A file that is only read need not be the file itself: who reads a copy needs no right to the original. */
function isCopied({ isWritable, stats }: FoundMount): boolean {
  return !isWritable && stats.isFile() && stats.size <= COPIED_BYTES;
}

interface Choice {
  readonly user: RunUser | undefined;
  readonly giveBack: () => void;
}

function chooseUser(folders: readonly FoundMount[], network: Network): Choice {
  const [first, ...others] = folders.map(({ stats }) => stats);
  const pooled = first === undefined ? takeUser() : undefined;
  if (pooled !== undefined) {
    const { uid, gid } = pooled;
    return { user: { uid, gid, isAlone: true }, giveBack: () => pooled.release() };
  }
  if (first !== undefined && first.uid !== 0 && others.every(({ uid }) => uid === first.uid)) {
    // Root's group has rights of its own, which nobody granted.
    const user = { uid: first.uid, gid: first.gid === 0 ? first.uid : first.gid, isAlone: false };
    return { user, giveBack: () => {} };
  }
  if (network === "none") return { user: undefined, giveBack: () => {} };
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    first === undefined
      ? "With an open network, root cannot run a program here: there is no other user for it."
      : "With an open network, a program that is shown folders of root would be root for the host's own services.",
    {
      hint: "Copy the files into a folder of another user and grant that, ask for no network, or start Skillhold as an ordinary user.",
      details: { mounts: folders.map(({ source }) => source) },
    },
  );
}

interface Copies {
  readonly stage: string;
  readonly mounts: readonly Mount[];
}

async function copyFiles(files: readonly FoundMount[], user: RunUser | undefined): Promise<Copies> {
  const stage = await makeStage();
  try {
    const mounts: Mount[] = [];
    for (const [index, { source, target }] of files.entries()) {
      const copy = join(stage, String(index));
      await writeFile(copy, await readSmall(source), { flag: "wx", mode: 0o400 });
      await chown(copy, 0, user?.gid ?? 0);
      await chmod(copy, 0o440);
      mounts.push({ source: copy, target, isWritable: false });
    }
    return { stage, mounts };
  } catch (error) {
    await removeStage(stage);
    throw error;
  }
}

/** Whatever has come to lie there since it was looked at. */
async function readSmall(path: PathLike): Promise<Uint8Array> {
  const handle: FileHandle = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    if (!(await handle.stat()).isFile()) throw new SkillError("CONFIG_INVALID", `${path} is not a file.`);
    const buffer = Buffer.alloc(COPIED_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = (await handle.read(buffer, length, buffer.length - length, null)).bytesRead;
    }
    if (length > COPIED_BYTES) throw new SkillError("CONFIG_INVALID", `${path} is growing.`);
    return buffer.subarray(0, length);
  } finally {
    await handle.close();
  }
}

interface PoolUser {
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
type UserMaps = readonly (readonly (readonly number[])[])[];

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
