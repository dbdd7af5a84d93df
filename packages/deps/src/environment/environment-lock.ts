import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseBoundedJson } from "@skillhold/core/text";
import { z } from "zod";
import type { InstallSpec } from "./spec.ts";

/** The lock files of an environment: every package in one version, with the hash of its content. */
export const LOCK_FILES = { npm: "package-lock.json", pip: "requirements.lock" } as const;

/**
 * The hash of an environment's locks, which pins the content of every package in it; undefined without a lock.
 * Approvals of runs are bound to it.
 */
export async function environmentLockHash(folder: string): Promise<string | undefined> {
  const texts = await Promise.all(
    Object.values(LOCK_FILES).map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
  );
  if (texts.every((text) => text === "")) return undefined;
  return `sha256:${createHash("sha256").update(JSON.stringify(texts)).digest("hex")}`;
}

const Specs = z.record(z.string(), z.string()).optional();
const NpmEntry = z.object({
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  dependencies: Specs,
  optionalDependencies: Specs,
  peerDependencies: Specs,
});
const NpmLock = z.object({ packages: z.record(z.string(), NpmEntry) });

const STRONG = /^sha(?:256|384|512)-[A-Za-z0-9+/]{43,}={0,2}(?:\s|$)/;

type Requested = readonly Pick<InstallSpec, "name">[];

/**
 * Finds the first package of an npm lock that does not come from a registry with a hash, or the first requested package
 * that the lock lacks; undefined without such a package. A bundled package is part of the one that bundles it.
 */
export function npmLockProblem(text: string, requested: Requested): string | undefined {
  const lock = NpmLock.safeParse(parseJson(text));
  if (!lock.success) return "npm wrote no lock file";
  const lacking = requested.find(({ name }) => !Object.hasOwn(lock.data.packages, `node_modules/${name}`));
  if (lacking !== undefined) return `the lock file lacks ${lacking.name}`;
  for (const [path, entry] of Object.entries(lock.data.packages)) {
    const name = path.split("node_modules/").at(-1) ?? path;
    const specs = { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies };
    const foreign = Object.entries(specs).find(([, spec]) => !isRegistrySpec(spec));
    if (foreign !== undefined) {
      return `${name || "the environment"} needs ${foreign[0]} from ${foreign[1]}; only packages of a registry are installed`;
    }
    if (path === "" || entry.inBundle === true) continue;
    if (entry.link === true || !/^https?:\/\//.test(entry.resolved ?? "")) {
      return `${name} does not come from a registry (${entry.resolved ?? "no address"})`;
    }
    if (!STRONG.test(entry.integrity ?? "")) return `${name} has no SHA-256 or stronger hash in the registry`;
  }
  return undefined;
}

/** True for versions, ranges, tags and aliases; false for git, URL, file and repository references. */
function isRegistrySpec(spec: string): boolean {
  const [, alias] = /^npm:(?:@[^/:]+\/)?([^/:]*)$/.exec(spec) ?? [];
  return alias !== undefined || !/[/:\\]/.test(spec);
}

const PipItem = z.object({
  is_direct: z.boolean().optional(),
  metadata: z.object({
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/),
    version: z.string().regex(/^[A-Za-z0-9.!+_-]+$/),
    requires_dist: z.array(z.string()).optional(),
  }),
  download_info: z.object({
    url: z.string(),
    archive_info: z
      .object({ hash: z.string().optional(), hashes: z.record(z.string(), z.string()).optional() })
      .optional(),
  }),
});
const PipReport = z.object({ install: z.array(PipItem) });

/** Turns pip's report of a resolution into a lock, or returns the sentence that refuses it. */
export function pipLock(
  report: string,
  requested: Requested,
): { readonly lock: string } | { readonly problem: string } {
  const parsed = PipReport.safeParse(parseJson(report));
  if (!parsed.success) return { problem: "pip wrote no report of the resolution" };
  const lines: string[] = [];
  for (const { is_direct: isDirect, metadata, download_info: from } of parsed.data.install) {
    const { name, version, requires_dist: requires = [] } = metadata;
    if (isDirect === true)
      return {
        problem: `${name} is a direct reference to ${bare(from.url)}; only packages of an index are installed`,
      };
    const direct = requires.find((each) => /^[^;]*@/.test(each));
    if (direct !== undefined) {
      return {
        problem: `${name} has the direct reference ${direct.slice(0, 200)}; only packages of an index are installed`,
      };
    }
    if (!/\.whl$/.test(URL.parse(from.url)?.pathname ?? "")) return { problem: `${name} has no wheel` };
    const hash =
      from.archive_info?.hashes?.["sha256"] ?? /^sha256=(.*)$/.exec(from.archive_info?.hash ?? "")?.[1];
    if (hash === undefined || !/^[0-9a-f]{64}$/.test(hash)) return { problem: `${name} has no SHA-256 hash` };
    lines.push(`${name}==${version} --hash=sha256:${hash}\n`);
  }
  const lock = lines.sort().join("");
  const problem = lackProblem(lock, requested);
  return problem === undefined ? { lock } : { problem };
}

/** Finds the first requested package that a lock for pip lacks. Names are compared as indexes do. */
function lackProblem(lock: string, requested: Requested): string | undefined {
  const normal = (name: string) => name.toLowerCase().replace(/[-_.]+/g, "-");
  const locked = new Set(
    Array.from(lock.matchAll(/^([A-Za-z0-9._-]+)==/gm), ([, name = ""]) => normal(name)),
  );
  const lacking = requested.find(({ name }) => !locked.has(normal(name)));
  return lacking === undefined ? undefined : `the lock lacks ${lacking.name}`;
}

/** Finds the first line of a compiled requirements file that is not a pinned package, or a lack; undefined without. */
export function compiledLockProblem(text: string, requested: Requested): string | undefined {
  const logical = text.replace(/\\\r?\n\s*/g, " ").split(/\r?\n/);
  for (const line of logical.map((each) => each.replace(/(?:^|\s)#.*$/, "").trim())) {
    if (line === "") continue;
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*==[^\s;]+(?:\s*;[^@]*)?(?:\s+--hash=sha256:[0-9a-f]{64})+$/.test(line)) {
      return `${line.slice(0, 120)} is not a package of an index with a hash`;
    }
  }
  return lackProblem(text, requested);
}

function parseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** A URL without credentials and query. */
function bare(text: string): string {
  const url = URL.parse(text);
  return url === null ? "another place" : `${url.origin}${url.pathname}`;
}
