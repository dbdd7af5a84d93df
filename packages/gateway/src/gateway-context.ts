import type { ApprovalStore } from "@skillhold/core/approval";
import type { IndexedLibrary, Viewer } from "@skillhold/core/library";
import type { AuditSink } from "@skillhold/core/port";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import type { SecretStore } from "@skillhold/core/secret";
import type { SurveyPorts, SystemHost } from "@skillhold/deps/environment";
import type { Operation } from "@skillhold/protocol/http";
import type { AuditReport } from "@skillhold/registry/audit";
import type { RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext } from "@skillhold/registry/record";
import type { Host } from "@skillhold/skill";
import type { ApprovalDesk } from "./approval/approval-desk.ts";
import type { AnswerBounds } from "./limit/open-answer.ts";
import type { Mount } from "./mount.ts";
import type { Progress } from "./socket/progress.ts";
import type { SocketLimits } from "./socket/socket-limits.ts";
import type { LogEntry } from "./telemetry/log.ts";

/** What a gateway works with. Everything is opened by whoever composes it, and closed by them as well. */
export interface GatewayContext {
  readonly registry: RegistryContext;
  /** What is served: the registry's skills, with folders of the machine over or under them. */
  readonly library: IndexedLibrary;
  readonly skills: RegistryLibrary;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  /** Reads the log again with the keys and notes that are kept at this machine; without it, with none. */
  readonly verifyAudit?: (signal: AbortSignal) => Promise<AuditReport>;
  /** The machine that readiness is about. */
  readonly host: Host;
  readonly approvals: ApprovalStore;
  readonly desk: ApprovalDesk;
  /** What sessions run with; without it they run nothing. */
  readonly runs?: (viewer: Viewer) => RunPorts;
  /** Those that are to be other ones than by default. */
  readonly socketLimits?: Partial<SocketLimits>;
  readonly answerBounds?: Partial<AnswerBounds>;
  readonly secrets?: SecretStore;
  /** What it takes to look at dependencies and to install them; without it those routes are refused. */
  readonly dependencies?: DependencyPorts;
  readonly progress: Progress;
  /** The sandbox as it is: its probe tries everything anew. Without it nothing can be tried. */
  readonly sandbox?: Pick<Sandbox, "id" | "probe">;
  /** Aborted when the gateway begins to shut down. */
  readonly closing?: AbortSignal;
  /** Tells how long it took each time that the folders among what is served were looked at again. */
  readonly onReload?: (listener: (ms: number) => void) => void;
  /** Told of each request when it starts; what it gives back is told how it ended. */
  readonly observe?: (started: StartedRequest) => (status: number) => void;
  readonly log: (entry: LogEntry) => void;
  /** The product's. */
  readonly version: string;
  readonly sources: readonly { readonly label: string; readonly trust: string; readonly path?: string }[];
  readonly startedAt: string;
  /** Other things that are served on the same port, such as MCP. */
  readonly mounts?: readonly Mount[];
  /** The folder of the console's files. */
  readonly console?: string;
  readonly options: GatewayOptions;
}

export interface StartedRequest {
  readonly operation: Operation | "mount" | "page" | "none";
  readonly method: string;
  readonly headers: Headers;
  readonly requestId: string;
}

export interface DependencyPorts extends SurveyPorts {
  readonly home: string;
  readonly host: SystemHost;
  /** Where revisions are laid out to be looked into. */
  readonly copies: string;
}

export interface GatewayOptions {
  /** `host:port` as browsers write it; a request for another one is refused. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call it, beside its own. */
  readonly origins: readonly string[];
  /** Whether those who call it do so over TLS that ends in front of it: cookies are then for TLS alone. */
  readonly isTls: boolean;
  /** Whether public skills are served to anyone, at the address that clients look for. */
  readonly isDiscoverable: boolean;
  /** Requests a minute; a token's, and those of an address without one. */
  readonly rate: { readonly token: number; readonly address: number };
  /** Where uploads lie while they are received. */
  readonly temporary: string;
}
