import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunLimits } from "@skillhold/core/run";

/** The groups of processes that this machine lets us make, with the limits that a group can hold. */
export interface ControlGroups {
  readonly version: 1 | 2;
  readonly holds: { readonly memory: boolean; readonly processes: boolean; readonly cpu: boolean };
  /** Contract: every group that is made is removed. */
  create(limits: GroupLimits): ControlGroup;
}

export type GroupLimits = Pick<RunLimits, "memoryBytes" | "processes">;

export interface ControlGroup {
  /** Puts a process in, and with it all that it will start. */
  add(pid: number): Promise<void>;
  /** Processor time of all its processes so far, or undefined where that is not counted. */
  cpuMs(): number | undefined;
  /** Whether the system has ended one of its processes for the group's memory. */
  wasOutOfMemory(): boolean;
  /** Ends what is left in it and removes it. */
  remove(): Promise<void>;
}

/** Where the groups' file systems and our own membership are found. */
export interface ControlGroupPaths {
  readonly mount: string;
  readonly self: string;
}

const SYSTEM: ControlGroupPaths = { mount: "/sys/fs/cgroup", self: "/proc/self/cgroup" };

/** Tries out which groups can be made; undefined when none can. */
export function findControlGroups(paths: ControlGroupPaths = SYSTEM): ControlGroups | undefined {
  const own = readMembership(paths.self);
  return existsSync(join(paths.mount, "cgroup.controllers"))
    ? findUnified(paths.mount, own.get("") ?? "/")
    : findSplit(paths.mount, own);
}

/** By controller the group that we are in; the one of version 2 has no controller's name. */
function readMembership(file: string): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const line of readText(file).split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    for (const controller of controllers.split(",")) own.set(controller, path);
  }
  return own;
}

/**
 * Version 2: a group of ours must be beside us or below us, because a group with processes of its own cannot share
 * out its controllers.
 */
function findUnified(mount: string, own: string): ControlGroups | undefined {
  for (const parent of [join(mount, own), join(mount, dirname(own))]) {
    sweep(parent);
    const groups = unifiedGroups(parent);
    if (canMake(groups)) return groups;
  }
  return undefined;
}

function unifiedGroups(parent: string): ControlGroups {
  const create = ({ memoryBytes, processes }: GroupLimits): ControlGroup => {
    tryWrite(join(parent, "cgroup.subtree_control"), "+memory +pids +cpu");
    const folder = makeGroup(parent);
    return setUp([folder], () => {
      write(join(folder, "memory.max"), memoryBytes);
      tryWrite(join(folder, "memory.swap.max"), 0);
      tryWrite(join(folder, "memory.oom.group"), 1);
      write(join(folder, "pids.max"), processes);
      return {
        add: (pid) => move(pid, folder),
        cpuMs: () => scale(readNumber(join(folder, "cpu.stat"), /^usage_usec (\d+)/m), 1000),
        wasOutOfMemory: () => (readNumber(join(folder, "memory.events"), /^oom_kill (\d+)/m) ?? 0) > 0,
        remove: () => removeGroups([folder]),
      };
    });
  };
  return { version: 2, holds: { memory: true, processes: true, cpu: true }, create };
}

/** Version 1: a tree for each controller. All three or none, so that a run's record is simple. */
function findSplit(mount: string, own: ReadonlyMap<string, string>): ControlGroups | undefined {
  const parentOf = (controller: string): string => {
    const parent = join(mount, controller, own.get(controller) ?? "/");
    // In a container the path is often that of the host, where there is nothing to see.
    return existsSync(parent) ? parent : join(mount, controller);
  };
  const parents = { memory: parentOf("memory"), pids: parentOf("pids"), cpuacct: parentOf("cpuacct") };
  for (const parent of Object.values(parents)) sweep(parent);
  const groups = splitGroups(parents);
  return canMake(groups) ? groups : undefined;
}

interface Parents {
  readonly memory: string;
  readonly pids: string;
  readonly cpuacct: string;
}

function splitGroups(parents: Parents): ControlGroups {
  const create = ({ memoryBytes, processes }: GroupLimits): ControlGroup => {
    const folders: string[] = [];
    const make = (parent: string): string => {
      const folder = makeGroup(parent);
      folders.push(folder);
      return folder;
    };
    return setUp(folders, () => {
      const memory = make(parents.memory);
      const pids = make(parents.pids);
      const cpuacct = make(parents.cpuacct);
      write(join(memory, "memory.limit_in_bytes"), memoryBytes);
      // Absent where swap is not counted.
      tryWrite(join(memory, "memory.memsw.limit_in_bytes"), memoryBytes);
      write(join(pids, "pids.max"), processes);
      return {
        add: async (pid) => {
          await Promise.all(folders.map((folder) => move(pid, folder)));
        },
        cpuMs: () => scale(readNumber(join(cpuacct, "cpuacct.usage"), /^(\d+)/), 1e6),
        wasOutOfMemory: () => (readNumber(join(memory, "memory.oom_control"), /^oom_kill (\d+)/m) ?? 0) > 0,
        remove: () => removeGroups(folders),
      };
    });
  };
  return { version: 1, holds: { memory: true, processes: true, cpu: true }, create };
}

let count = 0;

function makeGroup(parent: string): string {
  count += 1;
  const folder = join(parent, `skillhold-${process.pid}-${count}`);
  mkdirSync(folder);
  return folder;
}

const MINUTE_MS = 60_000;

/** Removes the empty groups of processes that ended before they could. */
function sweep(parent: string): void {
  for (const name of listNames(parent)) {
    const pid = /^skillhold-(\d+)-\d+$/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const made = statSync(join(parent, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // The number may be that of another namespace, where the group is being filled right now.
    if (Date.now() - made > MINUTE_MS) tryRemove(join(parent, name));
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is no such controller.
    return [];
  }
}

/** A group that cannot be set up leaves nothing behind. */
function setUp(folders: readonly string[], work: () => ControlGroup): ControlGroup {
  try {
    return work();
  } catch (error) {
    for (const folder of folders) tryRemove(folder);
    throw error;
  }
}

function canMake(groups: ControlGroups): boolean {
  try {
    const group = groups.create({ memoryBytes: 64 * 1024 * 1024, processes: 8 });
    const isCounted = group.cpuMs() !== undefined;
    void group.remove();
    return isCounted;
  } catch {
    // No such controller, or it is not ours to use: that is the answer.
    return false;
  }
}

const PATIENCE_MS = 5000;

/** A group can be removed when the system has let go of the last process, which takes a moment after its end. */
async function removeGroups(folders: readonly string[]): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  for (const folder of folders) {
    while (!tryRemove(folder) && Date.now() < end) {
      killAll(folder);
      await sleep(2);
    }
  }
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    // Busy, or gone already.
    return !existsSync(folder);
  }
}

function killAll(folder: string): void {
  for (const line of readText(join(folder, "cgroup.procs")).split("\n")) {
    const pid = Number(line);
    // Zero is a process of another namespace, and would mean our own group.
    if (pid > 1) tryKill(pid);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** The kernel may take ten milliseconds to move a process, in which others go on. */
async function move(pid: number, folder: string): Promise<void> {
  await writeFile(join(folder, "cgroup.procs"), String(pid), { flag: "r+" });
}

function write(file: string, value: string | number): void {
  // Never creates: a file that is not there means a controller that is not there.
  writeFileSync(file, String(value), { flag: "r+" });
}

function tryWrite(file: string, value: string | number): void {
  try {
    write(file, value);
  } catch {
    // It is an extra where it exists.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // Absent on this system, or removed meanwhile.
    return "";
  }
}

function readNumber(file: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(readText(file))?.[1];
  return found === undefined ? undefined : Number(found);
}

function scale(value: number | undefined, by: number): number | undefined {
  return value === undefined ? undefined : value / by;
}
