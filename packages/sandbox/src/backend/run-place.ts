import { constants, type PathLike } from "node:fs";
import { chmod, chown, type FileHandle, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mount, Network, SandboxSpec } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { type FoundMount, findMount } from "./mount-source.ts";
import { makeStage, removeStage } from "./stage.ts";
import { takeUser } from "./user-pool.ts";

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
