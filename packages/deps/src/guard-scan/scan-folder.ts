import { readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { pack, readBounded } from "@skillhold/core/bundle";
import type { GuardFile, GuardReport, GuardScan } from "@skillhold/skill/guard";
import { scanGuard } from "./scan-guard.ts";

const MAX_FILE_BYTES = 20_000_000;
const MAX_IGNORED = 500;

/** Scans a skill's folder: its bundle, and the files that ignore files leave out of it, which could still be run. */
export async function scanFolder(
  folder: string,
  signal?: AbortSignal,
  scan: GuardScan = scanGuard,
): Promise<GuardReport> {
  const bundle = await pack(folder, signal === undefined ? {} : { signal });
  const files: GuardFile[] = [];
  const unread: { file: string; reason: string }[] = [];
  for (const { path, origin } of bundle.files) {
    const read = readBounded(origin, MAX_FILE_BYTES, { allowHardLinks: bundle.allowHardLinks });
    if ("problem" in read) unread.push({ file: path, reason: read.problem.message });
    else files.push({ path, bytes: read.bytes });
  }
  for (const { path, reason } of bundle.omitted)
    if (reason === "ignored") files.push(...readIgnored(bundle.root, path));
  const report = await scan(files, { name: basename(bundle.root), signal });
  const linked = bundle.omitted.filter(({ reason }) => reason === "link" || reason === "special");
  const limitations = [...unread, ...linked.map(({ path, message }) => ({ file: path, reason: message }))];
  return { ...report, limitations: [...report.limitations, ...limitations] };
}

/** The files of an ignored path, in bounds and inside the folder. */
function readIgnored(root: string, path: string): readonly GuardFile[] {
  const found: GuardFile[] = [];
  const waiting = [path];
  while (waiting.length > 0 && found.length < MAX_IGNORED) {
    const next = waiting.pop() ?? "";
    const full = join(root, next);
    const children = listFolder(full);
    if (children !== undefined) {
      waiting.push(...children.map((name) => relative(root, join(full, name))));
      continue;
    }
    const read = readBounded(full, MAX_FILE_BYTES, {});
    if (!("problem" in read)) found.push({ path: next, bytes: read.bytes, isIgnored: true });
  }
  return found;
}

/** Undefined when it is not a folder. */
function listFolder(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !entry.isSymbolicLink())
      .slice(0, MAX_IGNORED)
      .map(({ name }) => name);
  } catch {
    return undefined;
  }
}
