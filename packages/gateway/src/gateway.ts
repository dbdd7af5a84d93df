import { type GatewayApp, gatewayApp } from "./app.ts";
import { tokenAuthentication } from "./auth/authentication.ts";
import { RateLimit } from "./auth/rate-limit.ts";
import { StoreVersion } from "./cache/store-version.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { handlers } from "./handlers.ts";
import { OpenResponses } from "./limit/open-response.ts";
import { type RunningContext, runningContext } from "./running-context.ts";
import { GatewaySockets } from "./socket/gateway-sockets.ts";
import { WebhookSender } from "./webhook/webhook-sender.ts";
import { WorkspaceSweep } from "./workspace/workspace-sweep.ts";

/** An open gateway. */
export interface Gateway {
  readonly app: GatewayApp;
  /** Upgrades a connection to a WebSocket. */
  readonly upgrade: GatewaySockets["upgrade"];
  /** Ends idle streams so that running requests can finish. Call `close` after it. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a gateway from its parts. It opens no port; `listen` does. */
export function openGateway(given: GatewayContext): Gateway {
  const context = runningContext(given, { countSockets: (): number => sockets.size });
  const authentication = tokenAuthentication(context, new StoreVersion(context.registry.store));
  const { authenticate, forget } = authentication;
  const rate = new RateLimit(context.options.rate, context.registry.clock);
  const open = new OpenResponses(context.answerBounds);
  const app = gatewayApp({ handlers, authenticate, rate, open, changed: forget }, context);
  const sockets = new GatewaySockets(
    { app, authenticate, rate, limits: context.socketLimits ?? {} },
    context,
  );
  const sweep = new WorkspaceSweep(context);
  const sender = openSender(context);
  const { sessions, work, usage, views, mounted, mounts = [] } = context;
  const close = () =>
    closeEach([
      () => sockets.close(),
      () => sweep.close(),
      async () => sender?.close(),
      () => sessions.closeAll(),
      () => authentication.close(),
      async () => work?.close(),
      () => usage.close(),
      () => views.close(),
      async () => mounted.close(),
      ...mounts.map((mount) => async () => mount.close?.()),
    ]);
  return { app, upgrade: sockets.upgrade, stop: () => mounted.stop(), close };
}

function openSender(context: RunningContext): WebhookSender | undefined {
  const { webhooks, metrics } = context;
  if (webhooks === undefined) return undefined;
  return new WebhookSender({ ...context, webhooks, onAttempt: (outcome) => metrics.noteWebhook(outcome) });
}

/** Closes every part in order, then throws the errors of those that failed. */
async function closeEach(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "Several parts could not be closed.");
}
