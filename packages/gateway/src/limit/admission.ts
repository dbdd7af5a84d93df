import type { HttpBindings } from "@hono/node-server";
import { SkillError } from "@skillhold/protocol/error";
import type { Operation, Route } from "@skillhold/protocol/http";
import type { Context } from "hono";
import type { Authenticate, Authenticated } from "../auth/authenticate.ts";
import { clientAddress } from "../auth/client-address.ts";
import { type Asked as Foreign, rejectForeign } from "../auth/host-check.ts";
import type { RateLimit } from "../auth/rate-limit.ts";
import { unauthenticated } from "../auth/unauthenticated.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { OpenAnswers } from "./open-answer.ts";

export type AppContext = Context<{ Bindings: Partial<HttpBindings> }>;

/** Who lets requests in. */
export interface Gatekeepers {
  readonly authenticate: Authenticate;
  readonly rate: RateLimit;
  readonly open: OpenAnswers;
}

export interface Wanted {
  readonly operation: Operation | undefined;
  readonly roles: Route["roles"];
}

/** They say what there is to ask and nothing of what is kept, and people open them by their addresses. */
const navigable: ReadonlySet<Operation | undefined> = new Set<Operation>(["getOpenApi", "getReference"]);

/** Who asks, if they may; undefined where anyone may. */
export async function admit(
  { operation, roles }: Wanted,
  c: AppContext,
  parts: Gatekeepers,
  context: GatewayContext,
): Promise<Authenticated | undefined> {
  if (roles === "anyone") {
    admitAnyone(c, parts, context);
    if (operation === "signIn") parts.rate.takeSignIn(addressOf(c, context));
    return undefined;
  }
  rejectForeign(askedOf(c), context.options);
  const address = addressOf(c, context);
  const isNavigable = navigable.has(operation);
  const { method, headers } = c.req.raw;
  const found = await parts.authenticate({
    method,
    headers,
    isNavigable,
    rejectUnknown: () => parts.rate.takeLookup(address),
  });
  if (found === undefined) {
    parts.rate.takeFrom(address);
    throw unauthenticated(headers.has("authorization"));
  }
  const { token, role } = found.principal;
  parts.rate.takeOf(token);
  if (roles.includes(role)) return found;
  throw new SkillError("FORBIDDEN", `The role ${role} may not do this.`, { details: { roles } });
}

export function admitAnyone(c: AppContext, { rate }: Gatekeepers, context: GatewayContext): void {
  rejectForeign(askedOf(c), context.options);
  rate.takeFrom(addressOf(c, context));
}

export function askedOf(c: AppContext): Foreign {
  const { method, headers } = c.req.raw;
  return { method, headers, target: c.env?.incoming?.url };
}

export function addressOf(c: AppContext, { options }: GatewayContext): string {
  return clientAddress(c.req.raw.headers, c.env?.incoming?.socket.remoteAddress, options);
}

/** Counts an answer to whoever is let in, until it is taken; gives the way to say how many bytes it has. */
export function beginAnswer(
  c: AppContext,
  found: Authenticated | undefined,
  { open }: Gatekeepers,
  context: GatewayContext,
): (bytes: number) => void {
  const key = found === undefined ? `address ${addressOf(c, context)}` : `token ${found.principal.token}`;
  return open.begin(key, c.env?.outgoing);
}
