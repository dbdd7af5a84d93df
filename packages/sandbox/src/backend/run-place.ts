import { randomInt } from "node:crypto";
import { constants, type PathLike, readFileSync } from "node:fs";
import { chmod, chown, type FileHandle, open, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { type FoundMount, findMount } from "./mount-source.ts";
import { makeStage, removeStage } from "./stage.ts";

/** The host user of a run, and the mounts it gets. */
export interface RunPlace {
  /** Undefined when the program runs as the current user. */
  readonly user: RunUser | undefined;
  /** Runtime and granted mounts, as they are bound. */
  readonly mounts: readonly FoundMount[];
  /** Releases the user and removes copied files. */
  release(): Promise<void>;
}

export interface RunUser {
  readonly uid: number;
  readonly gid: number;
  /** True when no other process on the machine runs as this user. */
  readonly isAlone: boolean;
}

/**
 * Chooses the host user of a run. When root starts it, that is an unprivileged user; if folders of one other
 * user are granted, it is that user. With folders of root the program stays root on the host, without
 * capabilities, in its own namespaces.
 */
export async function findPlace(
  { mounts, runtimes = [] }: Pick<SandboxSpec, "mounts" | "runtimes">,
  isRoot: boolean = process.getuid?.() === 0,
): Promise<RunPlace> {
  const parts = runtimes.map(findMount);
  const grants = mounts.map(findMount);
  if (!isRoot) return { user: undefined, mounts: [...parts, ...grants], release: async () => {} };
  const folders = grants.filter((mount) => !isCopied(mount));
  const { user, giveBack } = chooseUser(folders);
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

/** A read-only file can be copied, so that the run needs no rights to the original. */
function isCopied({ isWritable, stats }: FoundMount): boolean {
  return !isWritable && stats.isFile() && stats.size <= COPIED_BYTES;
}

interface Choice {
  readonly user: RunUser | undefined;
  readonly giveBack: () => void;
}

function chooseUser(folders: readonly FoundMount[]): Choice {
  const [first, ...others] = folders.map(({ stats }) => stats);
  const pooled = first === undefined ? takeUser() : undefined;
  if (pooled !== undefined) {
    const { uid, gid } = pooled;
    return { user: { uid, gid, isAlone: true }, giveBack: () => pooled.release() };
  }
  if (first !== undefined && first.uid !== 0 && others.every(({ uid }) => uid === first.uid)) {
    // Root's group has rights that were not granted.
    const user = { uid: first.uid, gid: first.gid === 0 ? first.uid : first.gid, isAlone: false };
    return { user, giveBack: () => {} };
  }
  return { user: undefined, giveBack: () => {} };
}

interface Copies {
  readonly stage: string;
  readonly mounts: readonly FoundMount[];
}

async function copyFiles(files: readonly FoundMount[], user: RunUser | undefined): Promise<Copies> {
  const stage = await makeStage();
  try {
    const mounts: FoundMount[] = [];
    for (const [index, { source, target }] of files.entries()) {
      const copy = join(stage, String(index));
      await writeFile(copy, await readSmall(source), { flag: "wx", mode: 0o400 });
      await chown(copy, 0, user?.gid ?? 0);
      await chmod(copy, 0o440);
      mounts.push({ source: copy, target, isWritable: false, stats: await stat(copy) });
    }
    return { stage, mounts };
  } catch (error) {
    await removeStage(stage);
    throw error;
  }
}

/** Checks the file again after opening, because it may have been replaced. */
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
    if (length > COPIED_BYTES) throw new SkillError("CONFIG_INVALID", `${path} grew while it was read.`);
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
 * User ids that systemd documents as unused. The first range is above the ids of containers and directory
 * services, and below 2^31; the second is for containers, which often have 65536 users. Both avoid 61184 to
 * 65519, which systemd uses for its services.
 */
export const POOLS: readonly Range[] = [
  { first: 2_100_000_000, count: 40_000_000 },
  { first: 60_578, count: 600 },
];

const taken = new Set<number>();

/** Random, so that runs of two processes hardly ever share a user. */
let offset: number | undefined;

/**
 * Reserves a user for one run that root starts, because a program that runs as root could write to root's
 * files in /proc. Runs of one process never share a user, and each process starts at a random offset.
 * Returns undefined when this user namespace lacks these ids.
 */
export function takeUser(maps: UserMaps = readMaps()): PoolUser | undefined {
  const pool = POOLS.find((range) => maps.every((map) => map.some((line) => covers(line, range))));
  if (pool === undefined) return undefined;
  offset ??= randomInt(2 ** 32);
  const start = offset % pool.count;
  for (let step = 0; step < pool.count; step += 1) {
    const uid = pool.first + ((start + step) % pool.count);
    if (taken.has(uid)) continue;
    taken.add(uid);
    return { uid, gid: uid, release: () => taken.delete(uid) };
  }
  return undefined;
}

/** The uid and gid maps: lines of first id inside, first id outside and length. */
type UserMaps = readonly (readonly (readonly number[])[])[];

function covers([first = 0, , length = 0]: readonly number[], range: Range): boolean {
  return first <= range.first && first + length >= range.first + range.count;
}

let maps: UserMaps | undefined;

/** Read once, because a process cannot change its own maps. */
function readMaps(): UserMaps {
  maps ??= ["uid_map", "gid_map"].map((name) => {
    const lines = readFileSync(`/proc/self/${name}`, "latin1").trim().split("\n");
    return lines.map((line) => line.trim().split(/\s+/).map(Number));
  });
  return maps;
}
