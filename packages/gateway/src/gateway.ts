import { type GatewayApp, gatewayApp } from "./app.ts";
import { RateLimit } from "./auth/rate-limit.ts";
import { tokenAuthentication } from "./auth/token-authentication.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { handlers } from "./handlers.ts";
import { runningContext } from "./running-context.ts";
import { GatewaySockets } from "./socket/gateway-sockets.ts";

/** A gateway that is open: the application that answers, and the way to end it. */
export interface Gateway {
  readonly app: GatewayApp;
  /** Takes over a connection that is to be a WebSocket. */
  readonly upgrade: GatewaySockets["upgrade"];
  readonly close: () => Promise<void>;
}

/** Makes a gateway of its parts. It listens to nothing by itself: `listen` does that. */
export function openGateway(given: GatewayContext): Gateway {
  const context = runningContext(given, { countSockets: (): number => sockets.size });
  const authentication = tokenAuthentication(context);
  const { authenticate, forget } = authentication;
  const rate = new RateLimit(context.options.rate, context.registry.clock);
  const app = gatewayApp({ handlers, authenticate, rate, changed: forget }, context);
  const sockets = new GatewaySockets(
    { app, authenticate, rate, limits: context.socketLimits ?? {} },
    context,
  );
  const close = async () => {
    await sockets.close();
    await context.sessions.closeAll();
    await authentication.close();
    await context.work?.close();
    await context.usage.close();
    await context.views.close();
    for (const mount of context.mounts ?? []) await mount.close?.();
  };
  return { app, upgrade: sockets.upgrade, close };
}
