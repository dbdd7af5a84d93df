import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { SkillType } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { type DiscoveryProblem, type FoundSkills, findSkillFolders, isLeafSkill } from "../bundle/index.ts";
import { isToolFile, skillType } from "../skill/index.ts";
import { type FileStamp, type OpenedSkill, openSkillFile } from "./open-skill.ts";
import { recordSkill } from "./record.ts";
import { ScanRow } from "./scan-row.ts";
import type { Source } from "./source.ts";

/** What a source held when it was last looked at. */
export interface Scan {
  /** The real path of the source's root. */
  readonly root: string;
  /** In the order of their paths. */
  readonly rows: readonly ScanRow[];
  /** Folders in which skills come and go, with the time of their last change. */
  readonly containers: readonly Container[];
  readonly problems: readonly DiscoveryProblem[];
}

export interface Container {
  readonly path: string;
  readonly changedMs: number;
}

export interface ScanOptions {
  readonly limits: Limits;
  /** The last scan; rows whose file has not changed are taken from it. */
  readonly last?: Scan | undefined;
  /** Look into every folder, also where nothing seems to have come or gone. */
  readonly isFull?: boolean;
  /** A skill folder to read again whatever its stat says. */
  readonly suspect?: string | undefined;
  readonly signal?: AbortSignal;
  /** Called with each skill that was read, before its text is let go. */
  readonly onRead?: (opened: OpenedSkill) => void;
}

const ROWS_BETWEEN_RESTS = 256;
const shortcut = process.platform === "linux" ? isLeafSkill : undefined;

/**
 * Looks at a source. Against a last scan this costs one stat for each skill and container; only what changed is
 * read. Returns the last scan itself when nothing did.
 */
export async function scanSource(source: Source, options: ScanOptions): Promise<Scan> {
  const { last } = options;
  if (
    last !== undefined &&
    !options.isFull &&
    last.containers.every((container) => isSameContainer(last.root, container))
  ) {
    const rows = await refreshRows(last, options);
    if (rows !== undefined)
      return rows.every((row, index) => row === last.rows[index]) ? last : { ...last, rows };
  }
  return await search(source, options);
}

/** The rows of the last scan, each checked by a stat; undefined when a file is gone and the folders must be searched. */
async function refreshRows(last: Scan, options: ScanOptions): Promise<readonly ScanRow[] | undefined> {
  const rows: ScanRow[] = [];
  const prefix = `${last.root}/`;
  for (const [index, row] of last.rows.entries()) {
    if (index % ROWS_BETWEEN_RESTS === ROWS_BETWEEN_RESTS - 1) await rest(options.signal);
    const stamp = statOf(row.path === "." ? `${prefix}${row.file}` : `${prefix}${row.path}/${row.file}`);
    if (stamp === undefined) return undefined;
    rows.push(
      row.isSame(stamp) ? row : readRow(join(last.root, row.path), row.path, row.file, undefined, options),
    );
  }
  return rows;
}

async function search(source: Source, options: ScanOptions): Promise<Scan> {
  const { followLinks = false, gitignore = false } = source;
  const known = new Map(options.last?.rows.map((row) => [`${row.path}/${row.file}`, row]));
  const signal = options.signal === undefined ? {} : { signal: options.signal };
  const found = await findSkillFolders(source.root, options.limits, {
    followLinks,
    gitignore,
    isLeafSkill: shortcut,
    ...signal,
  });
  const rows: ScanRow[] = [];
  for (const [index, { path, absolute, file, hasTools }] of found.skills.entries()) {
    if (index % ROWS_BETWEEN_RESTS === ROWS_BETWEEN_RESTS - 1) await rest(options.signal);
    const row = known.get(`${path}/${file}`);
    const isKnown = absolute !== options.suspect && (row?.isSame(statOf(`${absolute}/${file}`)) ?? false);
    rows.push(row !== undefined && isKnown ? row : readRow(absolute, path, file, hasTools, options));
  }
  return { root: found.root, rows, containers: stampContainers(found), problems: found.problems };
}

function readRow(
  folder: string,
  path: string,
  file: string,
  hasTools: boolean | undefined,
  { limits, onRead }: ScanOptions,
): ScanRow {
  const opened = openSkillFile(folder, file, limits);
  onRead?.(opened);
  const record = recordSkill(opened, typeOf(folder, hasTools), limits);
  return new ScanRow(path, file, record.isValid, opened.stamp, record);
}

function typeOf(folder: string, hasTools: boolean | undefined): SkillType {
  if (hasTools === false) return "context";
  try {
    const tools = readdirSync(join(folder, "tools")).map((name) => `tools/${name}`);
    return skillType(tools.filter(isToolFile), true);
  } catch {
    // No such folder, or none that can be listed: there are no tools to offer.
    return "context";
  }
}

function stampContainers({ root, containers }: FoundSkills): readonly Container[] {
  return containers.flatMap((path) => {
    const stamp = statOf(join(root, path));
    return stamp === undefined ? [] : [{ path, changedMs: changeOf(stamp) }];
  });
}

function isSameContainer(root: string, { path, changedMs }: Container): boolean {
  const stamp = statOf(join(root, path));
  return stamp !== undefined && changeOf(stamp) === changedMs;
}

function changeOf({ mtimeMs, ctimeMs }: FileStamp): number {
  return Math.max(mtimeMs, ctimeMs);
}

function statOf(path: string): FileStamp | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder on the way cannot be entered any more: the same as gone, until it can.
    return undefined;
  }
}

async function rest(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate(undefined, signal === undefined ? {} : { signal });
}
