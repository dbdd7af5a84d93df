import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Renders the documents into a folder, as `npm run docs` does. Returns the rendered documents. */
export function buildDocs(target: string): readonly string[] {
  const script = join(import.meta.dirname, "../scripts/build-docs.mjs");
  const printed = execFileSync(process.execPath, [script, target, "--list"], { encoding: "utf8" });
  return printed.split("\n").slice(0, -2);
}
