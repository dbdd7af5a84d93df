import type { BaseStore, Guard, InstallState, SourcePorts, TrustPolicy } from "@skillhold/registry/install";
import type { TrustedKeys } from "@skillhold/registry/signature";

/** The dependencies of a gateway that installs skills from external sources. */
export interface InstallService {
  readonly state: InstallState;
  readonly bases: BaseStore;
  readonly guard?: Guard;
  /** Opens what one install asks sources with; its caller closes it. */
  open(work: string, signal: AbortSignal): Promise<OpenedInstall>;
}

export interface OpenedInstall {
  readonly ports: SourcePorts;
  readonly trust: TrustedKeys;
  readonly policy: TrustPolicy;
  close(): void;
}
