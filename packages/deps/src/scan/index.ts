export { isCommandName, isNpmName, isPipName, normalizePip } from "./package-name.ts";
export type { ParseToml } from "./pyproject.ts";
export { distributionsOf, moduleOf } from "./python-distribution.ts";
export {
  type DependencyScanOptions,
  MAX_SCANNED_BYTES,
  scanBundle,
  scanDependencies,
} from "./scan.ts";
export { commandRuntime } from "./shell-table.ts";
