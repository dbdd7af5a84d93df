export { type ApprovalInbox, registryInbox } from "./approval/approval-inbox.ts";
export { loopbackHosts } from "./auth/host-check.ts";
export { mayRun, type Principal, principalActor as actorOf } from "./auth/principal.ts";
export type { SsoSettings } from "./auth/sso-settings.ts";
export { requestViewer as viewerOf } from "./auth/viewer.ts";
export { DependencyProgress as Progress } from "./dependency/progress.ts";
export type { Gateway } from "./gateway.ts";
export { openGateway } from "./gateway.ts";
export type { DependencyPorts, GatewayContext, GatewayOptions, StartupState } from "./gateway-context.ts";
export type { InstallService, OpenedInstall } from "./install-service.ts";
export { HeavyGate } from "./limit/heavy-gate.ts";
export {
  GRACE_MS,
  type ListenAddress as Place,
  type Listening,
  type ListenOptions,
  listen,
  type ServedApp,
} from "./listen.ts";
export type { GatewayMount as Mount } from "./mount.ts";
export {
  type GatewaySessionOptions,
  GatewaySessions,
  type SessionSource,
} from "./session/gateway-sessions.ts";
export type { SessionHolder, SessionMeta } from "./session/session-holder.ts";
export { proposerFor } from "./session/session-proposer.ts";
export { type PublisherSource, sessionPublisher } from "./session/session-publisher.ts";
export { type SocketLimits, socketLimits } from "./socket/socket-limits.ts";
export type { LogEntry } from "./telemetry/log.ts";
export { type TracedCall, toolSpan } from "./telemetry/span.ts";
export { exportTraces, type TraceExport, type TraceOptions } from "./telemetry/trace-export.ts";
export { type WebhookPorts, type WebhookRequest, WebhookSender } from "./webhook/webhook-sender.ts";
