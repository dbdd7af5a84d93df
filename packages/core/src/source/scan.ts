import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Limits } from "@skillhold/protocol/limits";
import { findRealPath, tryStat } from "../bundle/index.ts";
import {
  type Container,
  changeOf,
  type DiscoveryProblem,
  type FindOptions,
  findSkillFolders,
  isLeafSkill,
} from "./find-skills.ts";
import { type ReadListener, RowReader } from "./row-reader.ts";
import type { ScanRow } from "./scan-row.ts";
import type { Source } from "./source.ts";

/** What a source held when it was last looked at. */
export interface Scan {
  /** The real path of the source's root. */
  readonly root: string;
  /** In the order of their paths. */
  readonly rows: readonly ScanRow[];
  /** Folders in which skills come and go, with the time of their last change. */
  readonly containers: readonly Container[];
  /** When every folder was last looked into. */
  readonly searchedMs: number;
  readonly problems: readonly DiscoveryProblem[];
}

export interface ScanOptions {
  readonly limits: Limits;
  /** The last scan; rows whose file has not changed are taken from it. */
  readonly last?: Scan | undefined;
  /** Look into every folder, also where nothing seems to have come or gone. */
  readonly isFull?: boolean;
  /** The time of the look; the machine's own without it. */
  readonly nowMs?: number;
  /** A skill folder to read again whatever its stat says. */
  readonly suspect?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called now and then while folders are searched, with the counts so far. */
  readonly onProgress?: FindOptions["onProgress"] | undefined;
  readonly onRead?: ReadListener;
}

/** So much of either takes about ten milliseconds at most. */
const ROWS_BETWEEN_RESTS = 256;
const STATS_BETWEEN_RESTS = 1024;
const SEARCH_EVERY_MS = 3_600_000;
const shortcut = process.platform === "linux" ? isLeafSkill : undefined;

/**
 * Looks at a source. Against a last scan this costs one stat for each skill and container; only what changed is
 * read. Returns the last scan itself when nothing did.
 */
export async function scanSource(source: Source, options: ScanOptions): Promise<Scan> {
  const { last } = options;
  if (last !== undefined && !options.isFull && isCurrent(last, source, now(options))) {
    const rows = await refreshRows(last, source, options);
    if (rows !== undefined) return rows === last.rows ? last : { ...last, rows };
  }
  return await search(source, options);
}

/**
 * Whether the folders in which skills come and go are as they were. A folder that appears inside a skill shows only in
 * that skill's own folder, which a start does not look at; so every folder is looked into once an hour.
 */
function isCurrent(last: Scan, { root }: Source, nowMs: number): boolean {
  if (last.containers.length === 0 && last.rows.length === 0) return false;
  if (nowMs - last.searchedMs > SEARCH_EVERY_MS || findRealPath(root) !== last.root) return false;
  return last.containers.every(({ path, changedMs }) => changeOf(join(last.root, path)) === changedMs);
}

/**
 * The rows of the last scan, each checked by a stat, and themselves when none has changed; undefined when a file is
 * gone and the folders must be searched.
 */
async function refreshRows(
  last: Scan,
  source: Source,
  options: ScanOptions,
): Promise<readonly ScanRow[] | undefined> {
  const changed = new Map<ScanRow, ScanRow>();
  const reader = new RowReader(source, options);
  const prefix = `${last.root}/`;
  for (const [index, row] of last.rows.entries()) {
    if (index % STATS_BETWEEN_RESTS === STATS_BETWEEN_RESTS - 1) await rest(options.signal);
    const stamp = tryStat(row.path === "." ? `${prefix}${row.file}` : `${prefix}${row.path}/${row.file}`);
    if (stamp === undefined) return undefined;
    if (!row.isSame(stamp)) changed.set(row, reader.read(join(last.root, row.path), row.path, row.file));
  }
  return changed.size === 0 ? last.rows : last.rows.map((row) => changed.get(row) ?? row);
}

async function search(source: Source, options: ScanOptions): Promise<Scan> {
  const { followLinks = false, gitignore = false } = source;
  const known = options.last && new Map(options.last.rows.map((row) => [`${row.path}/${row.file}`, row]));
  const { signal, onProgress } = options;
  const found = await findSkillFolders(source.root, options.limits, {
    followLinks,
    gitignore,
    isLeafSkill: shortcut,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const rows: ScanRow[] = [];
  const reader = new RowReader(source, options);
  for (const [index, { path, absolute, file, hasTools }] of found.skills.entries()) {
    if (index % ROWS_BETWEEN_RESTS === ROWS_BETWEEN_RESTS - 1) await rest(options.signal);
    const row = known?.get(`${path}/${file}`);
    const isKnown =
      row !== undefined && absolute !== options.suspect && isSameRow(row, `${absolute}/${file}`, hasTools);
    rows.push(isKnown ? row : reader.read(absolute, path, file, hasTools));
  }
  const { root, containers, problems } = found;
  return keepIfSame(options.last, { root, rows, containers, problems, searchedMs: now(options) });
}

/** A folder for tools that came or went makes a skill another, though its SKILL.md is the same. */
function isSameRow(row: ScanRow, file: string, hasTools: boolean): boolean {
  return row.isSame(tryStat(file)) && hasTools === (row.record.type === "hybrid");
}

/** A search that found what was known is no news. */
function keepIfSame(last: Scan | undefined, scan: Scan): Scan {
  if (last === undefined || last.rows.length !== scan.rows.length || last.root !== scan.root) return scan;
  const isSame = scan.rows.every((row, index) => row === last.rows[index]);
  const parts = ({ containers, problems }: Scan) => JSON.stringify([containers, problems]);
  const isStale = scan.searchedMs - last.searchedMs > SEARCH_EVERY_MS;
  return isSame && !isStale && parts(last) === parts(scan) ? last : scan;
}

function now(options: ScanOptions): number {
  return options.nowMs ?? Date.now();
}

async function rest(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate(undefined, signal === undefined ? {} : { signal });
}
