import { randomBytes } from "node:crypto";
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

/** The control groups that this machine allows, and the limits that they enforce. */
export interface ControlGroups {
  readonly version: 1 | 2;
  readonly holds: { readonly memory: boolean; readonly processes: boolean; readonly cpu: boolean };
  /** Contract: the caller removes every group. */
  create(limits: GroupLimits): ControlGroup;
}

export type GroupLimits = Pick<RunLimits, "memoryBytes" | "processes">;

export interface ControlGroup {
  /** Moves a process into the group. Its children join too. */
  add(pid: number): Promise<void>;
  /** The CPU time of all processes so far; undefined when not measured. */
  cpuMs(): number | undefined;
  /** True when the kernel killed a process because the group exceeded its memory. */
  wasOutOfMemory(): boolean;
  /** Kills the remaining processes and removes the group. */
  remove(): Promise<void>;
}

/** The paths of the control group file systems and of this process's membership. */
export interface ControlGroupPaths {
  readonly mount: string;
  readonly self: string;
}

const SYSTEM: ControlGroupPaths = { mount: "/sys/fs/cgroup", self: "/proc/self/cgroup" };

/** Detects which control groups can be created; undefined when no control group can. */
export function findControlGroups(paths: ControlGroupPaths = SYSTEM): ControlGroups | undefined {
  const own = readMembership(paths.self);
  return existsSync(join(paths.mount, "cgroup.controllers"))
    ? findUnified(paths.mount, own.get("") ?? "/")
    : findSplit(paths.mount, own);
}

/** This process's group per controller. Version 2 uses an empty controller name. */
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
 * Version 2: the run's group must be a sibling or a child of this process's group, because a group with
 * processes cannot delegate its controllers.
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

/** Version 1: one tree per controller. Requires all three, to keep the run's record simple. */
function findSplit(mount: string, own: ReadonlyMap<string, string>): ControlGroups | undefined {
  const parentOf = (controller: string): string => {
    const parent = join(mount, controller, own.get(controller) ?? "/");
    // In a container the path is often the host's path, which does not exist here.
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
      // Absent when swap accounting is off.
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

/** The name is random, because a process may have the id of one that left its groups behind. */
function makeGroup(parent: string): string {
  const folder = join(parent, `skillhold-${process.pid}-${randomBytes(8).toString("hex")}`);
  mkdirSync(folder);
  return folder;
}

const MINUTE_MS = 60_000;

/** Removes empty groups of processes that ended before cleaning up. */
function sweep(parent: string): void {
  for (const name of listNames(parent)) {
    const pid = /^skillhold-(\d+)-[0-9a-f]+$/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    const made = statSync(join(parent, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    // The pid may belong to another namespace whose group is just being filled.
    if (Date.now() - made > MINUTE_MS) tryRemove(join(parent, name));
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // This controller does not exist.
    return [];
  }
}

/** Removes the group when its setup fails. */
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
    // The controller is missing or not usable by this user.
    return false;
  }
}

const SETUP_TIMEOUT_MS = 5000;

/** Retries, because a group can be removed only a moment after its last process ended. */
async function removeGroups(folders: readonly string[]): Promise<void> {
  const end = Date.now() + SETUP_TIMEOUT_MS;
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
    // The group is busy or already removed.
    return !existsSync(folder);
  }
}

function killAll(folder: string): void {
  for (const line of readText(join(folder, "cgroup.procs")).split("\n")) {
    const pid = Number(line);
    // Pid 0 stands for a process in another namespace; killing 0 would kill our own group.
    if (pid > 1) tryKill(pid);
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Asynchronous, because the kernel may need ten milliseconds to move a process. */
async function move(pid: number, folder: string): Promise<void> {
  await writeFile(join(folder, "cgroup.procs"), String(pid), { flag: "r+" });
}

function write(file: string, value: string | number): void {
  // Never creates a file: a missing file means a missing controller.
  writeFileSync(file, String(value), { flag: "r+" });
}

function tryWrite(file: string, value: string | number): void {
  try {
    write(file, value);
  } catch {
    // This setting is optional.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The file is absent on this system, or was just removed.
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
