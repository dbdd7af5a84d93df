import type { HttpBindings } from "@hono/node-server";
import { SkillError } from "@skillhold/protocol/error";
import type { Operation, Route } from "@skillhold/protocol/http";
import type { Context } from "hono";
import type { GatewayContext } from "../gateway-context.ts";
import type { OpenResponses } from "../limit/open-response.ts";
import { type Authenticate, type Authenticated, unauthenticated } from "./authentication.ts";
import { clientAddress } from "./client-address.ts";
import { type RequestHead, rejectForeign } from "./host-check.ts";
import type { Principal } from "./principal.ts";
import type { RateLimit } from "./rate-limit.ts";

export type AppContext = Context<{ Bindings: Partial<HttpBindings> }>;

/** The checks before a handler runs. */
export interface Gatekeepers {
  readonly authenticate: Authenticate;
  readonly rate: RateLimit;
  readonly open: OpenResponses;
}

export interface AdmissionRequest {
  readonly operation: Operation | undefined;
  readonly roles: Route["roles"];
  readonly isSensitive?: boolean | undefined;
}

/** Documentation without user data, which people open in a browser. */
const navigable: ReadonlySet<Operation | undefined> = new Set<Operation>(["getOpenApi", "getReference"]);

/** Routes that are open to anyone and show more to a caller with a token. */
const personal: ReadonlySet<Operation | undefined> = new Set<Operation>([
  "getWorkspaceCard",
  "startPasskeySignIn",
  "signInWithPasskey",
  "startSso",
]);

/** Routes that identify a person, which are limited more than others. */
const signIns: ReadonlySet<Operation | undefined> = new Set<Operation>([
  "signIn",
  "startPasskeySignIn",
  "signInWithPasskey",
  "startSso",
  "signInWithSso",
]);

/** Authenticates and authorizes a request; undefined when the route is open to anyone. */
export async function admit(
  { operation, roles, isSensitive = false }: AdmissionRequest,
  c: AppContext,
  gatekeepers: Gatekeepers,
  context: GatewayContext,
): Promise<Authenticated | undefined> {
  if (roles === "anyone") {
    admitAnyone(c, gatekeepers, context);
    if (signIns.has(operation)) gatekeepers.rate.takeSignIn(`${operation} ${remoteAddress(c, context)}`);
    return personal.has(operation) ? await recognize(c, gatekeepers, context) : undefined;
  }
  rejectForeign(headOf(c), context.options);
  const address = remoteAddress(c, context);
  const isNavigable = navigable.has(operation);
  const { method, headers } = c.req.raw;
  const authenticated = await gatekeepers.authenticate({
    method,
    headers,
    isNavigable,
    rejectUnknown: () => gatekeepers.rate.takeLookup(address),
  });
  if (authenticated === undefined) {
    gatekeepers.rate.takeFrom(address);
    throw unauthenticated(headers.has("authorization"));
  }
  const { token, role } = authenticated.principal;
  gatekeepers.rate.takeOf(token);
  if (roles.includes(role)) {
    if (isSensitive) rejectOldSignIn(authenticated.principal, context);
    return authenticated;
  }
  throw new SkillError("FORBIDDEN", `The role ${role} cannot call this route.`, {
    hint: `Use a token with one of these roles: ${roles.join(", ")}.`,
    details: { roles },
  });
}

/** A session lasts for weeks, so a sensitive act also needs a recent sign-in. */
function rejectOldSignIn({ kind, issuedAt }: Principal, { registry }: GatewayContext): void {
  const { clock, limits } = registry;
  const age = clock.now().getTime() - Date.parse(issuedAt);
  if (kind !== "session" || (age >= 0 && age < limits.webSessionFreshMs)) return;
  const hours = Math.round(limits.webSessionFreshMs / 3_600_000);
  throw new SkillError("SIGN_IN_REQUIRED", `This needs a sign-in within the last ${hours} hours.`, {
    hint: "Sign in again, then repeat it.",
  });
}

/** The caller of an open route; a token that is not valid is a caller without one. */
async function recognize(
  c: AppContext,
  { authenticate, rate }: Gatekeepers,
  context: GatewayContext,
): Promise<Authenticated | undefined> {
  const { method, headers } = c.req.raw;
  const rejectUnknown = () => rate.takeLookup(remoteAddress(c, context));
  const authenticated = await authenticate({ method, headers, rejectUnknown });
  if (authenticated !== undefined) rate.takeOf(authenticated.principal.token);
  return authenticated;
}

export function admitAnyone(c: AppContext, { rate }: Gatekeepers, context: GatewayContext): void {
  rejectForeign(headOf(c), context.options);
  rate.takeFrom(remoteAddress(c, context));
}

export function headOf(c: AppContext): RequestHead {
  const { method, headers } = c.req.raw;
  return { method, headers, target: c.env?.incoming?.url };
}

export function remoteAddress(c: AppContext, { options }: GatewayContext): string {
  return clientAddress(c.req.raw.headers, c.env?.incoming?.socket.remoteAddress, options);
}

/** Counts a response toward its client until the client has read it. Returns the function that reserves its bytes. */
export function openResponse(
  c: AppContext,
  authenticated: Authenticated | undefined,
  { open }: Gatekeepers,
  context: GatewayContext,
): (bytes: number) => void {
  const client =
    authenticated === undefined
      ? `address ${remoteAddress(c, context)}`
      : `token ${authenticated.principal.token}`;
  return open.begin(client, c.env?.outgoing);
}
