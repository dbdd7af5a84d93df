import { join } from "node:path";

/**
 * A folder in which Node keeps compiled code for all processes of the tests. Without it, each process with a home of its own
 * compiles hundreds of modules. Node compares each entry with its source, so the code is never stale.
 */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/compiled"),
} as const;

/** Vitest calls this for each project. Workers and their processes inherit the variable. */
export function setup(): void {
  Object.assign(process.env, compileCache);
}
