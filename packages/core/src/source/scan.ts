import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Limits } from "@skillhold/protocol/limits";
import { SKILL_FILE } from "@skillhold/skill";
import { findRealPath, tryStat } from "../bundle/index.ts";
import {
  type Container,
  changeOf,
  type DiscoveryProblem,
  type FindOptions,
  findSkillFolders,
  type SkillFolder,
} from "./find-skills.ts";
import { FolderRowReader, type ReadListener } from "./row-reader.ts";
import type { FolderRow } from "./scan-row.ts";
import type { Source } from "./source.ts";

/** The content of a source at its last scan. */
export interface SourceScan {
  /** The real path of the source's root. */
  readonly root: string;
  /** Sorted by path. */
  readonly rows: readonly FolderRow[];
  /** Folders that contain skills, with the time of their last change. */
  readonly containers: readonly Container[];
  /** The time of the last full search. */
  readonly searchedMs: number;
  readonly problems: readonly DiscoveryProblem[];
}

export interface SourceScanOptions {
  readonly limits: Limits;
  /** The last scan; rows of unchanged files are reused. */
  readonly last?: SourceScan | undefined;
  /** Search every folder, even if the containers are unchanged. */
  readonly isFull?: boolean;
  /** The scan time. Default: the machine's clock. */
  readonly nowMs?: number;
  /** A skill folder to read again regardless of its stats. */
  readonly suspect?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called periodically during the search with the counts so far. */
  readonly onProgress?: FindOptions["onProgress"] | undefined;
  readonly onRead?: ReadListener;
}

/** Either amount takes at most about ten milliseconds. */
const ROWS_BETWEEN_RESTS = 256;
const STATS_BETWEEN_RESTS = 1024;
const SEARCH_EVERY_MS = 3_600_000;
const hasLinkCounts = process.platform === "linux";

/**
 * Scans a source. With a last scan, the cost is one stat per skill and container, and only changed files are read.
 * Returns the last scan itself when it is still valid.
 */
export async function scanSource(source: Source, options: SourceScanOptions): Promise<SourceScan> {
  const { last } = options;
  if (last !== undefined && !options.isFull && isCurrent(last, source, now(options))) {
    const rows = await refreshRows(last, source, options);
    if (rows !== undefined) return rows === last.rows ? last : { ...last, rows };
  }
  return await search(source, options);
}

/**
 * Whether the container folders are unchanged. A folder added inside a skill changes only that skill's folder, which
 * is not checked, so every folder is searched once an hour.
 */
function isCurrent(last: SourceScan, { root }: Source, nowMs: number): boolean {
  if (last.containers.length === 0 && last.rows.length === 0) return false;
  if (nowMs - last.searchedMs > SEARCH_EVERY_MS || findRealPath(root) !== last.root) return false;
  return last.containers.every(({ path, changedMs }) => changeOf(join(last.root, path)) === changedMs);
}

/**
 * The rows of the last scan, each checked with a stat; the same array when all are unchanged. Undefined when a file is
 * missing and the folders must be searched.
 */
async function refreshRows(
  last: SourceScan,
  source: Source,
  options: SourceScanOptions,
): Promise<readonly FolderRow[] | undefined> {
  const changed = new Map<FolderRow, FolderRow>();
  const reader = new FolderRowReader(source, options);
  const prefix = `${last.root}/`;
  for (const [index, row] of last.rows.entries()) {
    if (index % STATS_BETWEEN_RESTS === STATS_BETWEEN_RESTS - 1) await rest(options.signal);
    const stamp = tryStat(row.path === "." ? `${prefix}${row.file}` : `${prefix}${row.path}/${row.file}`);
    if (stamp === undefined) return undefined;
    if (!row.isSame(stamp)) changed.set(row, reader.read(join(last.root, row.path), row.path, row.file));
  }
  return changed.size === 0 ? last.rows : last.rows.map((row) => changed.get(row) ?? row);
}

async function search(source: Source, options: SourceScanOptions): Promise<SourceScan> {
  const { followLinks = false, gitignore = false, isNamed = false } = source;
  const { signal, onProgress } = options;
  const reader = new KnownRowReader(source, options);
  const found = await findSkillFolders(source.root, options.limits, {
    followLinks,
    gitignore,
    isNamed,
    openLeaf: hasLinkCounts ? (folder: string, path: string) => reader.readLeaf(folder, path) : undefined,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const rows: FolderRow[] = [];
  let reads = 0;
  for (const folder of found.skills) {
    rows.push(folder.leaf ?? reader.read(folder));
    if (folder.leaf !== undefined) continue;
    reads += 1;
    if (reads % ROWS_BETWEEN_RESTS === 0) await rest(options.signal);
  }
  const { root, containers, problems } = found;
  return keepIfSame(options.last, { root, rows, containers, problems, searchedMs: now(options) });
}

/** Reads rows, or returns the unchanged ones of the last scan. */
class KnownRowReader {
  readonly #known: ReadonlyMap<string, FolderRow> | undefined;
  readonly #suspect: string | undefined;
  readonly #reader: FolderRowReader;

  constructor(source: Source, options: SourceScanOptions) {
    this.#known = options.last && new Map(options.last.rows.map((row) => [`${row.path}/${row.file}`, row]));
    this.#suspect = options.suspect;
    this.#reader = new FolderRowReader(source, options);
  }

  /** The row of a folder without subfolders; undefined when it has no SKILL.md of that name. */
  readLeaf(folder: string, path: string): FolderRow | undefined {
    return this.#find(folder, path, SKILL_FILE, false) ?? this.#reader.readLeaf(folder, path);
  }

  read(folder: SkillFolder<FolderRow>): FolderRow {
    const { path, absolute, file, hasTools } = folder;
    return this.#find(absolute, path, file, hasTools) ?? this.#reader.read(absolute, path, file, folder);
  }

  #find(folder: string, path: string, file: string, hasTools: boolean): FolderRow | undefined {
    const row = this.#known?.get(`${path}/${file}`);
    if (row === undefined || folder === this.#suspect || !row.isSame(tryStat(`${folder}/${file}`)))
      return undefined;
    // Adding or removing the tools folder changes the skill even if SKILL.md is unchanged.
    return hasTools === (row.facts[4]?.type !== undefined) ? row : undefined;
  }
}

/** True when a search found only known skills. */
function keepIfSame(last: SourceScan | undefined, scan: SourceScan): SourceScan {
  if (last === undefined || last.rows.length !== scan.rows.length || last.root !== scan.root) return scan;
  const isSame = scan.rows.every((row, index) => row === last.rows[index]);
  const parts = ({ containers, problems }: SourceScan) => JSON.stringify([containers, problems]);
  const isStale = scan.searchedMs - last.searchedMs > SEARCH_EVERY_MS;
  return isSame && !isStale && parts(last) === parts(scan) ? last : scan;
}

function now(options: SourceScanOptions): number {
  return options.nowMs ?? Date.now();
}

async function rest(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate(undefined, signal === undefined ? {} : { signal });
}
