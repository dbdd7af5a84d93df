import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../shared");

/** Path of public test data kept beside the project, or undefined where it is absent. */
export function sharedData(path: string): string | undefined {
  const full = join(root, path);
  return existsSync(full) ? full : undefined;
}

/** Rows of a JSON Lines file; the caller says what a row is. */
export function readRows<Row>(file: string): readonly Row[] {
  const lines = readFileSync(file, "utf8").split("\n");
  // The files are test data with a fixed shape; a wrong row fails the test that reads it.
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

export const absent = "the public test data is not beside the project (../shared)";
