import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Mount, RuntimeKind, SandboxPaths } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow, isOpenToAll, type Runtime } from "@skillhold/sandbox/backend";
import type { CommandResult } from "./command.ts";
import { type EnvironmentTarget, environmentPlaces } from "./environment-folder.ts";
import { compiledLockProblem, LOCK_FILES, npmLockProblem, pipLock } from "./environment-lock.ts";
import {
  type CommandArgv,
  npmInstallArguments,
  npmLockArguments,
  pipInstallArguments,
  pipLockArguments,
  uvInstallArguments,
  uvLockArguments,
} from "./install-command.ts";
import { type ManagerSettings, npmSettings, pipSettings, type Variables } from "./install-setting.ts";
import {
  type ManagerOptions,
  readResolved,
  removeScratch,
  runManager,
  SCRATCH,
  withResolution,
} from "./manager-run.ts";
import { findProgram } from "./runtimes.ts";
import { type InstallSpec, wordOf } from "./spec.ts";

/** A package manager that fills an environment. */
export interface InstallTool {
  /** The command that resolves these specs for a folder; an installation of the resolved packages follows. */
  command(specs: readonly InstallSpec[], folder: string): CommandArgv;
  /**
   * Resolves all specs together to a lock in the folder, and installs the packages of the lock, in the sandbox.
   * Removes everything else that this tool installed there.
   */
  install(specs: readonly InstallSpec[], folder: string, options: ManagerOptions): Promise<CommandResult>;
  /** Removes everything that this tool installed in a folder. */
  clean(folder: string): Promise<void>;
}

/** Each is a tool, or a sentence that says why the tool is missing. */
export interface InstallTools {
  readonly npm: InstallTool | string;
  readonly pip: InstallTool | string;
}

export interface ToolPorts {
  readonly env: Variables;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
}

export async function findInstallTools(ports: ToolPorts): Promise<InstallTools> {
  const [node, python, npm, uv] = await Promise.all([
    tryRuntime("node", ports),
    tryRuntime("python", ports),
    findProgram("npm", ports.env["PATH"] ?? ""),
    findProgram("uv", ports.env["PATH"] ?? ""),
  ]);
  const programs = {
    npm: npm === undefined ? "npm is missing: install Node.js with npm" : await npmProgram(npm, node),
    uv: uv === undefined ? undefined : await managerProgram(uv),
  };
  return {
    npm: typeof programs.npm === "string" ? programs.npm : npmTool(programs.npm, ports.env),
    pip:
      typeof python === "string"
        ? python
        : pipTool(python, typeof programs.uv === "object" ? programs.uv : undefined, ports.env),
  };
}

/** Finds the versions that an environment is built for, without starting a process. */
export async function findTarget(
  findRuntime: ToolPorts["findRuntime"],
  platform = `${process.platform}-${process.arch}`,
): Promise<EnvironmentTarget> {
  const ports = { env: {}, findRuntime };
  const [node, python] = await Promise.all([tryRuntime("node", ports), tryRuntime("python", ports)]);
  return { platform, node: await versionOf(node), python: await versionOf(python) };
}

/** The real path of a system's python3 contains its version. */
async function versionOf(runtime: Runtime | string): Promise<string | undefined> {
  if (typeof runtime === "string") return undefined;
  return runtime.version ?? (await realpath(runtime.program));
}

async function tryRuntime(kind: RuntimeKind, { findRuntime }: ToolPorts): Promise<Runtime | string> {
  try {
    return await findRuntime(kind);
  } catch (error) {
    if (error instanceof SkillError) return `${error.message} ${error.hint}`;
    throw error;
  }
}

/** A package manager on the host, and the mounts that show it in the sandbox. */
interface ManagerProgram {
  readonly argv: CommandArgv;
  readonly mounts: readonly Mount[];
}

/** Runs npm's script with the Node that runs skills. Any other npm program runs directly. */
async function npmProgram(program: string, node: Runtime | string): Promise<ManagerProgram | string> {
  const real = await realpath(program);
  if (!real.endsWith(".js") || typeof node === "string") return await managerProgram(program);
  // The script is in the folder `bin` of its package.
  const found = await managerProgram(real, dirname(dirname(real)));
  if (typeof found === "string") return found;
  return { argv: [node.program, ...found.argv], mounts: [...node.mounts, ...found.mounts] };
}

/** A program outside the system folders is mounted, with its package if it has one. */
async function managerProgram(program: string, folder = program): Promise<ManagerProgram | string> {
  if (isBelow(program, "/usr") || isBelow(program, "/bin")) return { argv: [program], mounts: [] };
  if (process.getuid?.() === 0 && !(await isOpenToAll(program))) {
    return `${basename(program)} is not usable: the user that installs packages cannot read ${program}. Install it system-wide`;
  }
  const target = `/opt/skillhold/manager/${basename(folder)}`;
  return { argv: [program], mounts: [{ source: folder, target, isWritable: false }] };
}

const insideOf = (argv: CommandArgv, paths: SandboxPaths): CommandArgv => {
  const [first, ...others] = argv;
  return [paths.of(first), ...others.map((path) => paths.of(path))];
};

function npmTool(program: ManagerProgram, env: Variables): InstallTool {
  let settings: Promise<ManagerSettings> | undefined;
  const clean = async (folder: string) => {
    const files = ["package.json", LOCK_FILES.npm].map((name) => join(folder, name));
    for (const path of [environmentPlaces(folder).node, ...files]) {
      await rm(path, { recursive: true, force: true });
    }
  };
  return {
    command: (specs, folder) => [...program.argv, ...npmLockArguments(specs, folder)],
    clean,
    install: async (specs, folder, options) => {
      await clean(folder);
      await mkdir(folder, { recursive: true });
      settings ??= npmSettings(program.argv, env, options.empty);
      const { network, mounts, env: variables } = await settings;
      const run = (place: string, args: (inside: string) => readonly string[]) =>
        runManager(
          {
            folder: place,
            runtimes: program.mounts,
            settings: mounts,
            network,
            command: (paths) => {
              const inside = paths.of(place);
              const scratch = join(inside, SCRATCH);
              return {
                argv: [...insideOf(program.argv, paths), ...args(inside)],
                env: { ...variables, npm_config_cache: join(scratch, "npm"), TMPDIR: scratch },
              };
            },
          },
          options,
        );
      const problem = await withResolution(folder, async (resolution) => {
        await writeFile(join(resolution, "package.json"), '{ "private": true }\n');
        const resolved = await run(resolution, (inside) => npmLockArguments(specs, inside));
        if (resolved.code !== 0) return resolved;
        const lock = readResolved(resolution, LOCK_FILES.npm);
        const found = npmLockProblem(lock, specs);
        if (found !== undefined) return refused(found);
        for (const name of ["package.json", LOCK_FILES.npm])
          await writeFile(join(folder, name), readResolved(resolution, name), { flag: "wx" });
        return undefined;
      });
      const result = problem ?? (await run(folder, npmInstallArguments));
      await removeScratch(folder);
      return result;
    },
  };
}

function pipTool(python: Runtime, uv: ManagerProgram | undefined, env: Variables): InstallTool {
  let settings: Promise<ManagerSettings> | undefined;
  const clean = async (folder: string) => {
    for (const path of [environmentPlaces(folder).python, join(folder, LOCK_FILES.pip)]) {
      await rm(path, { recursive: true, force: true });
    }
  };
  return {
    command: (specs, folder) => [python.program, ...pipLockArguments(specs, join(folder, REPORT))],
    clean,
    install: async (specs, folder, options) => {
      await clean(folder);
      await mkdir(folder, { recursive: true });
      settings ??= pipSettings(python.program, env);
      const manager = new PipRun(python, uv, await settings, folder, options);
      const result = await manager.install(specs);
      await removeScratch(folder);
      return result;
    },
  };
}

const REPORT = "report.json";
const SPECS = "requirements.in";

/** One installation by pip, or by uv where pip is missing. */
class PipRun {
  readonly #python: Runtime;
  readonly #uv: ManagerProgram | undefined;
  readonly #settings: ManagerSettings;
  readonly #folder: string;
  readonly #options: ManagerOptions;

  constructor(
    python: Runtime,
    uv: ManagerProgram | undefined,
    settings: ManagerSettings,
    folder: string,
    options: ManagerOptions,
  ) {
    this.#python = python;
    this.#uv = uv;
    this.#settings = settings;
    this.#folder = folder;
    this.#options = options;
  }

  async install(specs: readonly InstallSpec[]): Promise<CommandResult> {
    const failed = await withResolution(this.#folder, async (resolution) => {
      const resolved = await this.#pip(resolution, (at) => pipLockArguments(specs, at(REPORT)));
      if (resolved.code !== 0) return resolved;
      const answer = pipLock(readResolved(resolution, REPORT), specs);
      if ("problem" in answer) return refused(answer.problem);
      await this.#writeLock(answer.lock);
      return undefined;
    });
    if (failed === undefined)
      return await this.#pip(this.#folder, (at) => pipInstallArguments(at(LOCK_FILES.pip), at(SITE)));
    return this.#uv !== undefined && lacksPip(failed) ? await this.#installByUv(specs, this.#uv) : failed;
  }

  async #writeLock(text: string): Promise<void> {
    await writeFile(join(this.#folder, LOCK_FILES.pip), text, { flag: "wx" });
  }

  async #installByUv(specs: readonly InstallSpec[], uv: ManagerProgram): Promise<CommandResult> {
    const run = (folder: string, args: (at: At, python: string) => readonly string[]) =>
      this.#run(folder, [...this.#python.mounts, ...uv.mounts], (paths, at) => [
        ...insideOf(uv.argv, paths),
        ...args(at, paths.of(this.#python.program)),
      ]);
    const failed = await withResolution(this.#folder, async (resolution) => {
      await writeFile(join(resolution, SPECS), specs.map((spec) => `${wordOf(spec)}\n`).join(""));
      const resolve = (at: At, python: string) => uvLockArguments(at(SPECS), at(LOCK_FILES.pip), python);
      const resolved = await run(resolution, resolve);
      if (resolved.code !== 0) return resolved;
      const lock = readResolved(resolution, LOCK_FILES.pip);
      const problem = compiledLockProblem(lock, specs);
      if (problem !== undefined) return refused(problem);
      await this.#writeLock(lock);
      return undefined;
    });
    const install = (at: At, python: string) => uvInstallArguments(at(LOCK_FILES.pip), at(SITE), python);
    return failed ?? (await run(this.#folder, install));
  }

  #pip(folder: string, args: (at: At) => readonly string[]): Promise<CommandResult> {
    const { program, mounts } = this.#python;
    return this.#run(folder, mounts, (paths, at) => [paths.of(program), ...args(at)]);
  }

  #run(
    folder: string,
    runtimes: readonly Mount[],
    argv: (paths: SandboxPaths, at: At) => CommandArgv,
  ): Promise<CommandResult> {
    const { network, mounts, env } = this.#settings;
    const command = (paths: SandboxPaths) => {
      const inside = paths.of(folder);
      return {
        argv: argv(paths, (name) => join(inside, name)),
        env: { ...env, TMPDIR: join(inside, SCRATCH) },
      };
    };
    const request = { folder, runtimes, settings: mounts, network, command };
    return runManager(request, this.#options);
  }
}

/** The path inside the sandbox of a file in the folder. */
type At = (name: string) => string;

const SITE = "site";

function refused(problem: string): CommandResult {
  return { code: 1, outcome: "exited", stdout: "", stderr: "", problem };
}

/** Many systems have Python without pip. */
export function lacksPip({ code, stderr }: CommandResult): boolean {
  return code !== 0 && /No module named '?pip\b/.test(stderr);
}
