import { mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RuntimeKind } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import type { Runtime } from "@skillhold/sandbox/backend";
import { type CommandResult, runCommand } from "./command.ts";
import { type EnvironmentTarget, environmentPlaces } from "./environment-folder.ts";
import { type Argv, npmArguments, pipArguments, uvArguments } from "./install-command.ts";
import type { Variables } from "./install-variable.ts";
import { findProgram } from "./program-lookup.ts";
import type { InstallSpec } from "./spec.ts";

/** One way to fill an environment. */
export interface InstallTool {
  /** What would be run to install these into a folder. */
  command(specs: readonly InstallSpec[], folder: string): Argv;
  /** Installs all of them together into a folder, which holds nothing else of this tool afterwards. */
  install(specs: readonly InstallSpec[], folder: string, options: ToolOptions): Promise<CommandResult>;
  /** Takes away what it put into a folder. */
  clean(folder: string): Promise<void>;
}

export interface ToolOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A tool, or a sentence on what is missing for it. */
export interface InstallTools {
  readonly npm: InstallTool | string;
  readonly pip: InstallTool | string;
}

export interface ToolPorts {
  readonly env: Variables;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
}

export async function findTools(ports: ToolPorts): Promise<InstallTools> {
  const [node, python, npm, uv] = await Promise.all([
    tryRuntime("node", ports),
    tryRuntime("python", ports),
    findProgram("npm", ports.env["PATH"] ?? ""),
    findProgram("uv", ports.env["PATH"] ?? ""),
  ]);
  return {
    npm:
      npm === undefined ? "npm is not there: install Node.js with npm" : npmTool(await npmProgram(npm, node)),
    pip: typeof python === "string" ? python : pipTool(python.program, uv),
  };
}

/** The versions that an environment is made for. No process is started to learn them. */
export async function findTarget(
  findRuntime: ToolPorts["findRuntime"],
  platform = `${process.platform}-${process.arch}`,
): Promise<EnvironmentTarget> {
  const ports = { env: {}, findRuntime };
  const [node, python] = await Promise.all([tryRuntime("node", ports), tryRuntime("python", ports)]);
  return { platform, node: await versionOf(node), python: await versionOf(python) };
}

/** The real name of a system's python3 has its version in it. */
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

/** The script by the Node that runs skills; something else by itself. */
async function npmProgram(program: string, node: Runtime | string): Promise<Argv> {
  const real = await realpath(program);
  return real.endsWith(".js") && typeof node !== "string" ? [node.program, real] : [program];
}

function npmTool(program: Argv): InstallTool {
  const command = (specs: readonly InstallSpec[], folder: string): Argv => [
    ...program,
    ...npmArguments(specs, folder),
  ];
  const clean = async (folder: string) => {
    const files = ["package.json", "package-lock.json"].map((name) => join(folder, name));
    for (const path of [environmentPlaces(folder).node, ...files]) {
      await rm(path, { recursive: true, force: true });
    }
  };
  return {
    command,
    clean,
    install: async (specs, folder, options) => {
      await clean(folder);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "package.json"), '{ "private": true }\n');
      return await runCommand(command(specs, folder), { ...options, cwd: folder });
    },
  };
}

function pipTool(python: string, uv: string | undefined): InstallTool {
  const byPip = (specs: readonly InstallSpec[], folder: string): Argv => [
    python,
    ...pipArguments(specs, environmentPlaces(folder).python),
  ];
  const clean = (folder: string) => rm(environmentPlaces(folder).python, { recursive: true, force: true });
  return {
    command: byPip,
    clean,
    install: async (specs, folder, options) => {
      const { python: site } = environmentPlaces(folder);
      await clean(folder);
      await mkdir(folder, { recursive: true });
      const result = await runCommand(byPip(specs, folder), { ...options, cwd: folder });
      if (uv === undefined || !lacksPip(result)) return result;
      return await runCommand([uv, ...uvArguments(specs, site, python)], { ...options, cwd: folder });
    },
  };
}

/** Many systems have Python without pip. */
export function lacksPip({ code, stderr }: CommandResult): boolean {
  return code !== 0 && /No module named '?pip\b/.test(stderr);
}
