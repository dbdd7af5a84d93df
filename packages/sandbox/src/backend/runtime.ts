import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import type { Mount, RuntimeKind } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow } from "./bubblewrap-option.ts";
import { installCommand } from "./find-bubblewrap.ts";
import { homeFolder } from "./home-folder.ts";
import { launch } from "./process.ts";
import { isOpenToAll, keepCopy } from "./runtime-copy.ts";

/** An interpreter that a sandbox can run. */
export interface Runtime {
  /** The path on the host; `paths.of` gives the path inside. */
  readonly program: string;
  /** Mounts that the interpreter needs besides the system folders; part of a run's `runtimes`. */
  readonly mounts: readonly Mount[];
  readonly version?: string;
}

/** The facts about the machine that locate interpreters. */
export interface RuntimeHost {
  /** The Node program that runs this process. */
  readonly node: string;
  /** The value of PATH. Relative entries are ignored. */
  readonly path: string;
  readonly home: string;
  /** The system's interpreter folders, in search order. */
  readonly folders: readonly string[];
  readonly osRelease: string;
  readonly isRoot: boolean;
}

export function currentRuntimeHost(): RuntimeHost {
  return {
    node: process.execPath,
    path: process.env["PATH"] ?? "",
    home: homeFolder() ?? "/",
    folders: ["/usr/bin", "/usr/local/bin", "/bin"],
    osRelease: "/etc/os-release",
    isRoot: process.getuid?.() === 0,
  };
}

/** Finds an interpreter. Throws NOT_READY with the install command when no usable one exists. */
export async function findRuntime(
  kind: RuntimeKind,
  host: RuntimeHost = currentRuntimeHost(),
): Promise<Runtime> {
  switch (kind) {
    case "node":
      return await findNode(host);
    case "python":
      return (
        (await findSystem("python3", host)) ?? (await findPython(host)) ?? missing(kind, "python3", host)
      );
    case "ruby":
    case "perl":
    case "bash":
      return (await findSystem(kind, host)) ?? missing(kind, kind, host);
    case "shell":
      return (await findSystem("sh", host)) ?? missing(kind, "dash", host);
  }
}

const NODE_TARGET = "/opt/skillhold/node";

/** Uses the Node of this process, which exists in a supported version. */
async function findNode(host: RuntimeHost): Promise<Runtime> {
  const program = await realpath(host.node);
  const version = process.versions.node;
  if (isBelow(program, "/usr")) return { program, mounts: [], version };
  // Runs that root starts use another user, who cannot enter root's folders.
  const source = host.isRoot && !(await isOpenToAll(program)) ? await keepCopy(program) : program;
  return { program: source, mounts: [{ source, target: NODE_TARGET, isWritable: false }], version };
}

/** Accepts only programs in system folders, because the sandbox shows no others. */
async function findSystem(name: string, host: RuntimeHost): Promise<Runtime | undefined> {
  for (const folder of host.folders) {
    const program = join(folder, name);
    const real = await realpath(program).catch(() => "");
    if (isBelow(real, "/usr") || isBelow(real, "/bin")) return { program, mounts: [] };
  }
  return undefined;
}

/**
 * A python3 in PATH may be a shim, so it is queried for the real program. The whole prefix is mounted at the
 * same path.
 */
async function findPython(host: RuntimeHost): Promise<Runtime | undefined> {
  for (const folder of host.path.split(":").filter(isAbsolute)) {
    const shim = join(folder, "python3");
    if ((await stat(shim).catch(() => undefined))?.isFile() !== true) continue;
    const answer = await askPython(shim, host);
    if (answer === undefined) continue;
    const { program, prefix, version } = answer;
    if (host.isRoot && !(await isOpenToAll(program))) continue;
    return { program, version, mounts: [{ source: prefix, target: prefix, isWritable: false }] };
  }
  return undefined;
}

const QUESTION =
  "import os,sys;print(os.path.realpath(sys.executable));print(os.path.realpath(sys.base_prefix));print('%d.%d.%d'%sys.version_info[:3])";

async function askPython(
  shim: string,
  { path, home }: RuntimeHost,
): Promise<{ readonly program: string; readonly prefix: string; readonly version: string } | undefined> {
  const answer = await ask([shim, "-I", "-c", QUESTION], { PATH: path, HOME: home, LANG: "C.UTF-8" });
  const [program = "", prefix = "", version = ""] = answer?.trim().split("\n") ?? [];
  const isUsable = isAbsolute(program) && prefix !== "/" && isBelow(program, prefix);
  return isUsable ? { program, prefix, version } : undefined;
}

const ANSWER_MS = 10_000;
const ANSWER_BYTES = 16_384;

/** The output of a program; undefined when it fails, times out or prints too much. */
async function ask(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const launched = await launch(argv, { env }).catch(() => undefined);
  if (launched === undefined) return undefined;
  const cancelDeadline = systemTimers.after(ANSWER_MS, () => launched.kill());
  let text = "";
  launched.stdin.end();
  launched.stderr.resume();
  launched.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    if (text.length > ANSWER_BYTES) launched.kill();
  });
  const { code } = await launched.ended;
  cancelDeadline();
  return code === 0 ? text : undefined;
}

function missing(kind: RuntimeKind, name: string, host: RuntimeHost): never {
  throw new SkillError("NOT_READY", `No usable ${name} was found on this machine.`, {
    hint: `Install it system-wide: ${installCommand(host.osRelease, name)}`,
    details: { kind },
  });
}
