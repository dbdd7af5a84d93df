import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { LimitKind, Sandbox } from "@skillhold/core/run";
import type { nodeHost } from "@skillhold/core/source";
import { isSupportedNode, MIN_NODE, shortPath } from "@skillhold/host/place";
import type { Io } from "../terminal/output.ts";
import { formatSize } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

/** Checks the running Node, and the pinned Node for systems with an older one. */
export function checkNode(
  { versions, execPath }: Pick<NodeJS.Process, "versions" | "execPath">,
  pinned: string | undefined,
): readonly Check[] {
  const name = "node";
  const version = versions.node;
  const check = isSupportedNode(version)
    ? ok(name, `Node ${version} runs Skillhold (${execPath}).`)
    : failed(name, `Node ${version} is too old.`, `Install Node ${MIN_NODE} or later.`);
  const message =
    pinned === undefined
      ? "No Node is pinned; Skillhold uses the system's."
      : `Node ${pinned} is pinned for systems with a Node older than ${MIN_NODE}.`;
  return [check, ok("pinned node", message)];
}

/** The version of the optional package that contains Node for this platform. */
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
    // Missing or not a package: the next folder may have it.
    return undefined;
  }
}

interface Program {
  readonly name: string;
  readonly use: string;
  readonly fix: string;
}

const programs: readonly Program[] = [
  { name: "node", use: "runs JavaScript of skills", fix: "Install Node from https://nodejs.org." },
  { name: "python3", use: "runs Python of skills", fix: "Install Python 3." },
  {
    name: "git",
    use: "lets `skillhold install` and `update` fetch skills from repositories",
    fix: "Install Git.",
  },
];

/** Finds programs on PATH without starting them. */
export function checkPrograms(host: Pick<ReturnType<typeof nodeHost>, "hasBin">): readonly Check[] {
  return programs.map(({ name, use, fix }) =>
    host.hasBin(name)
      ? ok(name === "node" ? "node on PATH" : name, `Found (${use}).`)
      : warn(name === "node" ? "node on PATH" : name, `Not found (${use}).`, fix),
  );
}

/** Checks whether scripts can run here, and how well the sandbox confines them. */
export async function checkSandbox(sandbox: Pick<Sandbox, "id" | "probe">): Promise<Check> {
  const name = "sandbox";
  const { isAvailable, problem, version, checks, enforced, network } = await sandbox.probe();
  const broken = checks
    .filter(({ isConfined }) => !isConfined)
    .map(({ title, detail }) => `${title}: ${detail}`);
  const fix = "Run `skillhold sandbox test` to see each result.";
  if (broken.length > 0) return failed(name, "The sandbox has leaks.", fix, broken);
  if (!isAvailable)
    return warn(
      name,
      `Scripts cannot run: ${problem?.message ?? "no sandbox was found."}`,
      problem?.hint ?? fix,
    );
  const limits = (Object.keys(enforced) as readonly LimitKind[]).filter((kind) => enforced[kind] !== "run");
  const weak = limits.map((kind) =>
    enforced[kind] === "sampled"
      ? `${kind} is limited by sampling, not by the kernel`
      : enforced[kind] === "process"
        ? `${kind} is limited per process only`
        : `${kind} is not limited`,
  );
  const way = network === "proxy" ? "only through the egress proxy" : "not at all";
  const program = `${sandbox.id}${version === undefined ? "" : ` ${version}`}`;
  return ok(name, `Scripts run in ${program}, and reach the network ${way}.`, weak);
}

/** Checks the index cache. Without it, every start is slower. */
export function checkCache(file: string | undefined, isOn: boolean, io: Pick<Io, "cwd" | "env">): Check {
  const name = "cache";
  if (!isOn) return ok(name, "The cache is off for this command.");
  if (file === undefined)
    return warn(name, "No cache folder was found.", "Set HOME or XDG_CACHE_HOME to a folder of your own.");
  const place = shortPath(io, file);
  const size = sizeOf(file);
  // The dot makes a file in the folder's place fail the check.
  if (size !== "unknown" && isWritable(size === undefined ? `${nearest(dirname(file))}/.` : file))
    return ok(name, `${place} ${size === undefined ? "does not exist yet" : `has ${formatSize(size)}`}.`);
  const fix = `Make ${place} writable, or set XDG_CACHE_HOME to a writable folder.`;
  return warn(name, `${place} cannot be written, so every start reads all skills.`, fix);
}

function sizeOf(file: string): number | "unknown" | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size;
  } catch {
    // The path has a link loop or an unreadable folder.
    return "unknown";
  }
}

/** The nearest existing parent, where the missing folders would be created. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Any failure means that the cache is not used.
    return false;
  }
}
