import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Mount, RuntimeKind } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { isBelow } from "./bubblewrap-option.ts";
import { installCommand } from "./find-bubblewrap.ts";
import { launch } from "./process.ts";
import { isOpenToAll, keepCopy } from "./runtime-copy.ts";

/** An interpreter as a sandbox can run it. */
export interface Runtime {
  /** Its path on the host; `paths.of` says where it lies inside. */
  readonly program: string;
  /** What has to be visible beside the system's own folders: `runtimes` of a run. */
  readonly mounts: readonly Mount[];
  readonly version?: string;
}

/** What is asked of the machine. */
export interface RuntimeHost {
  /** The program that runs us. */
  readonly node: string;
  /** The value of PATH, of which absolute entries count. */
  readonly path: string;
  readonly home: string;
  /** Where a system keeps its interpreters, in order. */
  readonly folders: readonly string[];
  readonly osRelease: string;
  readonly isRoot: boolean;
}

export function currentRuntimeHost(): RuntimeHost {
  return {
    node: process.execPath,
    path: process.env["PATH"] ?? "",
    home: homedir(),
    folders: ["/usr/bin", "/usr/local/bin", "/bin"],
    osRelease: "/etc/os-release",
    isRoot: process.getuid?.() === 0,
  };
}

/** Finds an interpreter. Throws NOT_READY with the way to get it when there is none that a sandbox can run. */
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

/** The one that runs us: it is there, and its version is one that we support. */
async function findNode(host: RuntimeHost): Promise<Runtime> {
  const program = await realpath(host.node);
  const version = process.versions.node;
  if (isBelow(program, "/usr")) return { program, mounts: [], version };
  // A run that root starts is another user's, to whom root's folders are closed.
  const source = host.isRoot && !(await isOpenToAll(program)) ? await keepCopy(program) : program;
  return { program: source, mounts: [{ source, target: NODE_TARGET, isWritable: false }], version };
}

/** Only what resolves to the system's own folders: the sandbox shows nothing else. */
async function findSystem(name: string, host: RuntimeHost): Promise<Runtime | undefined> {
  for (const folder of host.folders) {
    const program = join(folder, name);
    const real = await realpath(program).catch(() => "");
    if (isBelow(real, "/usr") || isBelow(real, "/bin")) return { program, mounts: [] };
  }
  return undefined;
}

/** A python3 of PATH may be a script that chooses one: it is asked which. Its whole prefix is mounted where it lies. */
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

/** What a program prints, or undefined when it fails, takes too long or prints too much. */
async function ask(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const launched = await launch(argv, { env }).catch(() => undefined);
  if (launched === undefined) return undefined;
  const timer = setTimeout(() => launched.kill(), ANSWER_MS);
  let text = "";
  launched.stdin.end();
  launched.stderr.resume();
  launched.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    if (text.length > ANSWER_BYTES) launched.kill();
  });
  const { code } = await launched.ended;
  clearTimeout(timer);
  return code === 0 ? text : undefined;
}

function missing(kind: RuntimeKind, name: string, host: RuntimeHost): never {
  throw new SkillError("NOT_READY", `There is no ${name} on this machine that a sandbox can run.`, {
    hint: `Install it for the whole system: ${installCommand(host.osRelease, name)}`,
    details: { kind },
  });
}
