import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { RuntimeKind } from "@skillhold/core/run";
import { findRuntime, PROGRAM_PATH, type Runtime } from "@skillhold/sandbox/backend";
import { runCommand } from "./command.ts";
import type { CommandArgv } from "./install-command.ts";
import type { Variables } from "./install-setting.ts";

/** The interpreters and package managers on this machine. */
export interface RuntimeReport {
  readonly runtimes: readonly RuntimeState[];
  /** True when Python and JavaScript skills can run and their dependencies can be installed. */
  readonly ready: boolean;
}

export interface RuntimeState {
  readonly name: string;
  readonly available: boolean;
  readonly version?: string;
  /** The path of the program. */
  readonly path?: string;
  /** True when `ready` depends on this program. */
  readonly required: boolean;
}

export interface RuntimesPorts {
  readonly env: Variables;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
  readonly platform: string;
  readonly signal?: AbortSignal;
}

/**
 * Queries all versions at once, each with a timeout. A program that does not answer is reported without a
 * version.
 */
export async function checkRuntimes(ports: RuntimesPorts): Promise<RuntimeReport> {
  const runtimes = await Promise.all([
    ofInterpreter("python3", "python", ports),
    ofPip(ports),
    ofInterpreter("node", "node", ports),
    ofProgram("npm", true, ports),
    ofProgram("uv", false, ports),
    ofProgram("bwrap", ports.platform === "linux", ports),
    // This program has no version option.
    ofProgram("doas", false, ports, false),
    ofProgram("sudo", false, ports),
  ]);
  return { runtimes, ready: runtimes.every(({ available, required }) => available || !required) };
}

async function ofInterpreter(name: string, kind: RuntimeKind, ports: RuntimesPorts): Promise<RuntimeState> {
  const runtime = await ports.findRuntime(kind).catch(() => undefined);
  if (runtime === undefined) return absent(name, true);
  const { program } = runtime;
  const version = runtime.version ?? (await versionOf([program, "--version"], ports));
  return { name, available: true, path: program, required: true, ...(version && { version }) };
}

/** The pip of the Python that runs skills; any other pip installs for another Python. */
async function ofPip(ports: RuntimesPorts): Promise<RuntimeState> {
  const runtime = await ports.findRuntime("python").catch(() => undefined);
  const version = runtime && (await versionOf([runtime.program, "-I", "-m", "pip", "--version"], ports));
  return version === undefined
    ? absent("pip3", true)
    : { name: "pip3", available: true, version, required: true };
}

async function ofProgram(
  name: string,
  required: boolean,
  ports: RuntimesPorts,
  tellsVersion = true,
): Promise<RuntimeState> {
  const path = await findProgram(name, ports.env["PATH"] ?? "");
  if (path === undefined) return absent(name, required);
  const version = tellsVersion ? await versionOf([path, "--version"], ports) : undefined;
  return { name, available: true, path, required, ...(version && { version }) };
}

function absent(name: string, required: boolean): RuntimeState {
  return { name, available: false, required };
}

/** All queries run at once, which takes seconds on a busy machine. */
const ANSWER_MS = 10_000;

async function versionOf(argv: CommandArgv, { env, signal }: RuntimesPorts): Promise<string | undefined> {
  const { code, stdout, stderr } = await runCommand(argv, {
    env: { PATH: env["PATH"] ?? "", HOME: env["HOME"] ?? "/", LANG: "C.UTF-8" },
    timeoutMs: ANSWER_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  return code === 0 ? /\d+(?:\.\d+)+[0-9A-Za-z.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] : undefined;
}

/** Caches each interpreter that was found. A missing one is looked up again. */
export function cacheRuntimes(find: (kind: RuntimeKind) => Promise<Runtime> = (kind) => findRuntime(kind)) {
  const known = new Map<RuntimeKind, Promise<Runtime>>();
  return (kind: RuntimeKind): Promise<Runtime> => {
    const found = known.get(kind);
    if (found !== undefined) return found;
    const finding = find(kind).catch((error: unknown) => {
      known.delete(kind);
      throw error;
    });
    known.set(kind, finding);
    return finding;
  };
}

/** Host folders that every sandbox shows. */
const SHOWN = /^\/(?:usr|bin|sbin|lib|lib64|lib32|libx32)(?:\/|$)/;

/** Finds a program in the folders of a PATH without starting it. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9+_.-]*$/.test(name)) return undefined;
  // A relative entry would depend on the current folder.
  for (const folder of path.split(":").filter(isAbsolute)) {
    const program = join(folder, name);
    if (await isProgram(program)) return program;
  }
  return undefined;
}

/** Finds a program inside the sandbox. A link that leads to a hidden folder is not found. */
export async function findSandboxProgram(name: string, path = PROGRAM_PATH): Promise<string | undefined> {
  for (const folder of path.split(":")) {
    const program = await findProgram(name, folder);
    if (program !== undefined && SHOWN.test(await realpath(program))) return program;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // The file is missing or not executable.
    return false;
  }
}
