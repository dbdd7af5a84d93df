export {
  type Dependency,
  type DependencyKind,
  type DependencyManifest,
  formatNeed,
  type Place,
  type ScanNote,
} from "./dependency.ts";
export type { InstallWay } from "./install-way.ts";
export { isCommandName, isNpmName, isPipName, normalizePip } from "./package-name.ts";
export type { ParseToml } from "./pyproject.ts";
export { distributionsOf, moduleOf } from "./python-distribution.ts";
export {
  isScanned,
  MAX_SCANNED_BYTES,
  type Scan,
  type ScanCall,
  type ScanFile,
  type ScanOptions,
  scanDependencies,
  unreadable,
} from "./scan.ts";
export { scanBundle } from "./scan-bundle.ts";
export { runtimeOf } from "./shell-table.ts";
