import { createHash, hash } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

/**
 * A backup is a gzipped tar of these entries in order: `manifest.json`, rows as `table/<name>/<n>.jsonl`, blobs as
 * `blob/<sha256>`, files of the data folder as `file/<name>`, and `end.json` with a digest of all entries before it.
 */
export interface BackupEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export const BackupManifest = z.object({
  format: z.literal("skillhold-backup"),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  engine: z.enum(["sqlite", "postgres"]),
  /** How many migrations the registry had. */
  schema: z.int().min(1),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export const BackupEnd = z.object({
  digest: z.string(),
  rows: z.int(),
  blobs: z.int(),
  files: z.int(),
  bytes: z.int(),
});
/** The size of a complete backup. */
export type BackupSummary = Readonly<Omit<z.infer<typeof BackupEnd>, "digest">>;

/** Counts and hashes entries, so that a cut or changed backup is detected. */
export class BackupTally {
  readonly #hash = createHash("sha256");
  #rows = 0;
  #blobs = 0;
  #files = 0;
  #bytes = 0;

  add({ name, bytes }: BackupEntry, rows = 0): void {
    this.#hash.update(`${name}\0${hash("sha256", bytes, "hex")}\n`);
    this.#bytes += bytes.length;
    this.#rows += rows;
    if (name.startsWith("blob/")) this.#blobs += 1;
    if (name.startsWith("file/")) this.#files += 1;
  }

  end(): z.infer<typeof BackupEnd> {
    const digest = this.#hash.copy().digest("hex");
    return { digest, rows: this.#rows, blobs: this.#blobs, files: this.#files, bytes: this.#bytes };
  }
}

export function backupDamaged(problem: string, cause?: unknown): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The backup is damaged: ${problem}.`, {
    hint: "Use another backup. The store was not changed.",
    cause,
  });
}

export function jsonEntry(name: string, value: unknown): BackupEntry {
  return { name, bytes: Buffer.from(JSON.stringify(value)) };
}
