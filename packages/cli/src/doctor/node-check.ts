import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Check, fail, ok } from "./check.ts";

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
    : fail(name, `Node ${version} is too old.`, `Install Node ${floor}.`);
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
