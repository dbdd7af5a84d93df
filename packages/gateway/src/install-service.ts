import type { BaseStore, Guard, InstallState, SourcePorts, TrustPolicy } from "@skillhold/registry/install";
import type { TrustedKeys } from "@skillhold/registry/signature";

/** The dependencies of a gateway that installs skills from external sources. */
export interface InstallService {
  readonly state: InstallState;
  readonly bases: BaseStore;
  readonly guard?: Guard;
  /** The minimum age of a release that replaces an installed version; by default three days. */
  readonly minAgeMs?: number;
  /** Opens what one install asks sources with; its caller closes it. */
  open(work: string, signal: AbortSignal): Promise<OpenedInstall>;
}

export interface OpenedInstall {
  readonly ports: SourcePorts;
  readonly trust: TrustedKeys;
  readonly policy: TrustPolicy;
  close(): void;
}
