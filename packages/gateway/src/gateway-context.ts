import type { KeyObject } from "node:crypto";
import type { ApprovalStore } from "@skillhold/core/approval";
import type { IndexedLibrary, Viewer } from "@skillhold/core/library";
import type { AuditSink, Timers } from "@skillhold/core/port";
import type { RunPorts, Sandbox } from "@skillhold/core/run";
import type { SecretStore } from "@skillhold/core/secret";
import type { SurveyPorts, SystemHost } from "@skillhold/deps/environment";
import type { Digest } from "@skillhold/protocol";
import type { EvalReportBody, Operation, ProposalEvals } from "@skillhold/protocol/http";
import type { AuditReport } from "@skillhold/registry/audit";
import type { RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext } from "@skillhold/registry/record";
import type { WorkspaceHost } from "@skillhold/registry/workspace";
import type { Host } from "@skillhold/skill";
import type { GuardScan, GuardVerdict } from "@skillhold/skill/guard";
import type { z } from "zod";
import type { ApprovalInbox } from "./approval/approval-inbox.ts";
import type { SsoSettings } from "./auth/sso-settings.ts";
import type { DependencyProgress } from "./dependency/progress.ts";
import type { InstallService } from "./install-service.ts";
import type { ResponseBounds } from "./limit/open-response.ts";
import type { GatewayMount } from "./mount.ts";
import type { SocketLimits } from "./socket/socket-limits.ts";
import type { LogEntry } from "./telemetry/log.ts";
import type { WebhookPorts } from "./webhook/webhook-sender.ts";

/** The parts of a gateway. The composition root opens and closes them. */
export interface GatewayContext {
  readonly registry: RegistryContext;
  readonly timers: Timers;
  /** All served skills: the registry's, layered with folders of the machine. */
  readonly library: IndexedLibrary;
  readonly skills: RegistryLibrary;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  /** Verifies the audit log with the keys and notes of this machine; without it, the log is verified without keys. */
  readonly verifyAudit?: (signal: AbortSignal) => Promise<AuditReport>;
  /** The machine that readiness is checked for. */
  readonly host: Host;
  readonly approvals: ApprovalStore;
  readonly inbox: ApprovalInbox;
  /** The ports of runs; without them, sessions cannot run scripts. */
  readonly runs?: (viewer: Viewer) => RunPorts;
  /** Limits that differ from the defaults. */
  readonly socketLimits?: Partial<SocketLimits>;
  readonly answerBounds?: Partial<ResponseBounds>;
  readonly secrets?: SecretStore;
  /** The ports of dependency checks and installations; without them, their routes fail. */
  readonly dependencies?: DependencyPorts;
  /** Scans skills for the content guard. */
  readonly guardScan: GuardScan;
  /** Ranks a skill for its own trigger queries; undefined for a skill without queries. */
  readonly scoreTriggers?: (skill: ScoredSkill, viewer: Viewer) => Promise<EvalReportBody | undefined>;
  /** Ranks two contents of a skill for its trigger queries; undefined without queries. */
  readonly compareTriggers?: (
    pair: { readonly skill: string; readonly before: SkillTexts | undefined; readonly after: SkillTexts },
    viewer: Viewer,
  ) => Promise<TriggerChange | undefined>;
  /** Installs skills from elsewhere; without it, the install route fails. */
  readonly installs?: InstallService;
  readonly progress: DependencyProgress;
  /** The sandbox whose probe runs all checks again; without it, it cannot be probed. */
  readonly sandbox?: Pick<Sandbox, "id" | "probe">;
  /** The state of work at the start; without it, the gateway is ready as soon as it listens. */
  readonly startup?: () => StartupState;
  /** Aborted when the gateway starts to shut down. */
  readonly closing?: AbortSignal;
  /** Reports the duration of each reload of the served folders. */
  readonly onReload?: (listener: (ms: number) => void) => void;
  /** Adds a listener for scans of the content guard. The outcome is the verdict, or `failed`. */
  readonly onGuardScan?: (listener: (ms: number, outcome: GuardVerdict | "failed") => void) => void;
  /** Called when a request starts; the returned function is called with its status. */
  readonly observe?: (started: StartedRequest) => (status: number) => void;
  readonly log: (entry: LogEntry) => void;
  /** The version of Skillhold. */
  readonly version: string;
  readonly sources: readonly { readonly label: string; readonly trust: string; readonly path?: string }[];
  readonly startedAt: string;
  /** Sends notifications; without it, webhooks are stored and not notified. */
  readonly webhooks?: WebhookPorts;
  /** The single sign-on provider; without it, people sign in with links and passkeys. */
  readonly sso?: SsoSettings;
  /** The folders of workspaces on this machine; without it, workspaces have no files here. */
  readonly workspaces?: WorkspaceHost;
  /** The Ed25519 key that signs agent cards; without it, cards are not signed. */
  readonly cardKey?: KeyObject;
  /** Other servers on the same port, such as MCP. */
  readonly mounts?: readonly GatewayMount[];
  /** The folder of the console's files. */
  readonly console?: string;
  /** The folder of the rendered documents. */
  readonly docs?: string;
  readonly options: GatewayOptions;
}

/** Anonymous clients read it, so it names no skill. */
export interface StartupState {
  /** The work that readiness waits for, as a sentence; undefined when it ended. */
  readonly pending?: string;
  /** Failures that leave the gateway usable. */
  readonly warnings?: readonly string[];
}

/** The texts of a skill by path. */
export type SkillTexts = ReadonlyMap<string, string>;
type TriggerChange = NonNullable<z.output<typeof ProposalEvals>["triggers"]>;

export interface ScoredSkill {
  readonly skill: string;
  readonly treeHash: Digest;
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
  /** The folder for copies of revisions that checks read. */
  readonly copies: string;
}

export interface GatewayOptions {
  /** The allowed Host headers, as `host:port`. */
  readonly hosts: readonly string[];
  /** Origins of other pages that may call the gateway. */
  readonly origins: readonly string[];
  /** Whether clients connect over TLS that ends at a proxy. Cookies are then marked Secure. */
  readonly isTls: boolean;
  /** The address that users open; passkeys are bound to it. */
  readonly publicUrl?: string;
  /** Whether public skills are served to anyone at the well-known discovery path. */
  readonly isDiscoverable: boolean;
  /** Requests per minute, per token and per address without a token. */
  readonly rate: { readonly token: number; readonly address: number };
  /** The folder for uploads while they are received. */
  readonly temporary: string;
}
