import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { TaskReport } from "../task/task-report.ts";
import type { OfflineReport } from "../trigger/offline.ts";
import type { TriggerReport } from "../trigger/trigger-report.ts";

export type EvalReport = TaskReport | TriggerReport | OfflineReport;

const LARGEST_REPORT = 64 * 1024 * 1024;
const headSchema = z.object({
  kind: z.enum(["tasks", "triggers", "offline"]),
  skill: z.string(),
  treeHash: z.string(),
  at: z.string(),
});

/**
 * Keeps reports beside each other by the tree hash of the content they are about:
 * `<folder>/<skill>/<hash>/<time>-<kind>.json`.
 */
export class ResultStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a report; a reader never sees a part of it. Returns its file. */
  save(report: EvalReport): string {
    const folder = join(this.#folder, safe(report.skill), safe(report.treeHash));
    mkdirSync(folder, { recursive: true });
    const name = `${report.at.replaceAll(/[:.]/g, "-")}-${report.kind}.json`;
    const file = join(folder, name);
    writeFileSync(`${file}.tmp`, `${JSON.stringify(report, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
    return file;
  }

  /** The reports of a skill, the oldest first. Files that are not reports are left out. */
  list(skill: string): readonly EvalReport[] {
    const root = join(this.#folder, safe(skill));
    const files = names(root).flatMap((hash) =>
      names(join(root, hash)).map((name) => join(root, hash, name)),
    );
    return files
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => readReport(file))
      .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  }
}

function safe(name: string): string {
  return name.replaceAll(/[^\w-]+/g, "-").slice(0, 128) || "none";
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function readReport(file: string): readonly EvalReport[] {
  try {
    const text = readFileSync(file, "utf8");
    if (text.length > LARGEST_REPORT) return [];
    const value: unknown = JSON.parse(text);
    // The head says which report it is; only this store writes into its folder.
    return headSchema.safeParse(value).success ? [value as EvalReport] : [];
  } catch {
    return [];
  }
}
