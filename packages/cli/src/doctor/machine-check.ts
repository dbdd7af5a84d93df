import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { LimitKind, Sandbox } from "@skillhold/core/run";
import type { nodeHost } from "@skillhold/core/source";
import { shortPath } from "@skillhold/host/place";
import type { Io } from "../terminal/output.ts";
import { formatSize } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

const FLOOR = [22, 18] as const;

/** The Node that runs this, and the one that is pinned beside it for systems whose own is too old. */
export function checkNode(
  { versions, execPath }: Pick<NodeJS.Process, "versions" | "execPath">,
  pinned: string | undefined,
): readonly Check[] {
  const name = "node";
  const version = versions.node;
  const floor = `${FLOOR.join(".")} or newer`;
  const check = isNewEnough(version)
    ? ok(name, `Node ${version} runs Skillhold (${execPath}).`)
    : failed(name, `Node ${version} is too old.`, `Install Node ${floor}.`);
  const message =
    pinned === undefined
      ? "No Node is pinned beside Skillhold; the one of the system is used."
      : `Node ${pinned} is pinned beside Skillhold, for systems whose own is older than ${FLOOR.join(".")}.`;
  return [check, ok("pinned node", message)];
}

/** The version of the Node that an optional package brings; its name follows the platform. */
export function findPinnedNode({
  platform,
  arch,
}: Pick<NodeJS.Process, "platform" | "arch">): string | undefined {
  const system = `${platform === "win32" ? "win" : platform}-${arch}`;
  for (const name of [`node-${system}`, `node-bin-${system}`]) {
    for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
      const version = readVersion(join(folder, name, "package.json"));
      if (version !== undefined) return version;
    }
  }
  return undefined;
}

function readVersion(file: string): string | undefined {
  try {
    const { version }: { readonly version?: unknown } = JSON.parse(readFileSync(file, "utf8"));
    return typeof version === "string" ? version : undefined;
  } catch {
    // Not there, or not a package: the next place may have it.
    return undefined;
  }
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1]);
}

interface Program {
  readonly name: string;
  readonly use: string;
  readonly fix: string;
}

const programs: readonly Program[] = [
  { name: "node", use: "runs the JavaScript of skills", fix: "Install Node from https://nodejs.org." },
  { name: "python3", use: "runs the Python of skills", fix: "Install Python 3." },
  { name: "git", use: "fetches skills from repositories", fix: "Install Git." },
];

/** Programs are looked for on PATH and never started. */
export function checkPrograms(host: Pick<ReturnType<typeof nodeHost>, "hasBin">): readonly Check[] {
  return programs.map(({ name, use, fix }) =>
    host.hasBin(name)
      ? ok(name === "node" ? "node on PATH" : name, `Found; it ${use}.`)
      : warn(name === "node" ? "node on PATH" : name, `Not found; it ${use}.`, fix),
  );
}

/** Whether scripts of skills can be run here, and how well they are confined. */
export async function checkSandbox(sandbox: Pick<Sandbox, "id" | "probe">): Promise<Check> {
  const name = "sandbox";
  const { isAvailable, problem, version, checks, enforced } = await sandbox.probe();
  const broken = checks
    .filter(({ isConfined }) => !isConfined)
    .map(({ title, detail }) => `${title}: ${detail}`);
  const fix = "`skillhold sandbox test` shows what holds and what does not.";
  if (broken.length > 0) return failed(name, "The sandbox does not confine everything.", fix, broken);
  if (!isAvailable)
    return warn(
      name,
      `Nothing can be run: ${problem?.message ?? "there is no sandbox."}`,
      problem?.hint ?? fix,
    );
  const limits = (Object.keys(enforced) as readonly LimitKind[]).filter((kind) => enforced[kind] !== "run");
  const weak = limits.map((kind) =>
    enforced[kind] === "process" ? `${kind} is limited for each process alone` : `${kind} is not limited`,
  );
  return ok(name, `Scripts run in ${sandbox.id}${version === undefined ? "" : ` ${version}`}.`, weak);
}

/** The file that makes the next start cheap. Everything works without it, only slower. */
export function checkCache(file: string | undefined, isOn: boolean, io: Pick<Io, "cwd" | "env">): Check {
  const name = "cache";
  if (!isOn) return ok(name, "The cache is switched off for this command.");
  if (file === undefined)
    return warn(
      name,
      "There is no folder for a cache.",
      "Set HOME or XDG_CACHE_HOME to a folder of your own.",
    );
  const place = shortPath(io, file);
  const size = sizeOf(file);
  // The dot makes a file where a folder should be count as not writable.
  if (size !== "unknown" && isWritable(size === undefined ? `${nearest(dirname(file))}/.` : file))
    return ok(name, `${place} ${size === undefined ? "is not there yet" : `has ${formatSize(size)}`}.`);
  const fix = `Make ${place} writable, or set XDG_CACHE_HOME to a folder that is.`;
  return warn(name, `${place} cannot be written, so that every start reads all skills.`, fix);
}

function sizeOf(file: string): number | "unknown" | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch {
    // It lies behind a link that leads to itself, or where this user may not look.
    return "unknown";
  }
}

/** The first on the way up that exists: there the missing folders would be made. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Whatever the reason, the cache is done without.
    return false;
  }
}
