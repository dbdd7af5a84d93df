import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Why the frameworks are missing; empty when they are installed. */
    readonly frameworksProblem: string;
  }
}

/** Installs the frameworks once. A failure fails the tests that need them and no others. */
export function setup({ provide }: TestProject): void {
  const script = join(import.meta.dirname, "../../scripts/install-frameworks.mjs");
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (stderr !== "") process.stderr.write(stderr);
  provide("frameworksProblem", status === 0 ? "" : stderr);
}
