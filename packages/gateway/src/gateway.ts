import { type GatewayApp, gatewayApp } from "./app.ts";
import { RateLimit } from "./auth/rate-limit.ts";
import { tokenAuthentication } from "./auth/token-authentication.ts";
import { StoreVersion } from "./cache/store-version.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { handlers } from "./handlers.ts";
import { OpenAnswers } from "./limit/open-answer.ts";
import { runningContext } from "./running-context.ts";
import { GatewaySockets } from "./socket/gateway-sockets.ts";

/** A gateway that is open: the application that answers, and the way to end it. */
export interface Gateway {
  readonly app: GatewayApp;
  /** Takes over a connection that is to be a WebSocket. */
  readonly upgrade: GatewaySockets["upgrade"];
  /** Ends what waits for something to happen, so that what works can end by itself. `close` comes after it. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Makes a gateway of its parts. It listens to nothing by itself: `listen` does that. */
export function openGateway(given: GatewayContext): Gateway {
  const context = runningContext(given, { countSockets: (): number => sockets.size });
  const authentication = tokenAuthentication(context, new StoreVersion(context.registry.store));
  const { authenticate, forget } = authentication;
  const rate = new RateLimit(context.options.rate, context.registry.clock);
  const open = new OpenAnswers(context.answerBounds);
  const app = gatewayApp({ handlers, authenticate, rate, open, changed: forget }, context);
  const sockets = new GatewaySockets(
    { app, authenticate, rate, limits: context.socketLimits ?? {} },
    context,
  );
  const { sessions, work, usage, views, mounted, mounts = [] } = context;
  const close = () =>
    closeEach([
      () => sockets.close(),
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

/** One after the other: what cannot be closed keeps nothing else open, and is told when all are through. */
async function closeEach(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers) await close().catch((error: unknown) => errors.push(error));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "Several parts could not be closed.");
}
