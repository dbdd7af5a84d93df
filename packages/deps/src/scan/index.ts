export { isCommandName, isNpmName, isPipName, normalizePip } from "./package-name.ts";
export type { ParseToml } from "./pyproject.ts";
export { distributionsOf, moduleOf } from "./python-distribution.ts";
export { isScanned, MAX_SCANNED_BYTES, type ScanOptions, scanDependencies, unreadable } from "./scan.ts";
export { scanBundle } from "./scan-bundle.ts";
export { runtimeOf } from "./shell-table.ts";
