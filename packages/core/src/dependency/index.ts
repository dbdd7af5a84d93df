export {
  type Dependency,
  type DependencyKind,
  type DependencyManifest,
  formatNeed,
  type Place,
  type ScanNote,
  type Sighting,
} from "./dependency.ts";
export { type DependencyState, dependencyState, type EffectOptions, settleStatus } from "./effect.ts";
export { type InstallWay, packageOf, programOf, readInstallWays } from "./install-way.ts";
export { modulePlaces } from "./module-place.ts";
export type { Need, NeedCheck } from "./need.ts";
export type { Scan, ScanCall, ScanFile } from "./scan.ts";
