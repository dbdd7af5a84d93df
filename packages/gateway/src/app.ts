import type { HttpBindings } from "@hono/node-server";
import { SkillError } from "@skillhold/protocol/error";
import { type Operation, type Route, routeTable } from "@skillhold/protocol/http";
import { type Context, Hono } from "hono";
import type { Authenticate } from "./auth/authenticate.ts";
import { clientAddress } from "./auth/client-address.ts";
import {
  type Asked as Foreign,
  isNavigation,
  rejectForeign,
  rejectForeignHost,
  rejectForeignPage,
} from "./auth/host-check.ts";
import type { RateLimit } from "./auth/rate-limit.ts";
import { consolePage, isOfConsole } from "./console/console-page.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { Handlers } from "./http/handler.ts";
import { problemOf } from "./http/problem.ts";
import { readCall } from "./http/read-call.ts";
import { respond, respondProblem } from "./http/respond.ts";
import type { Mount } from "./mount.ts";
import type { Page } from "./page.ts";
import { pageTable } from "./page-table.ts";
import type { Principal } from "./principal.ts";
import type { RunningContext } from "./running-context.ts";

export interface AppParts {
  readonly handlers: Handlers;
  readonly authenticate: Authenticate;
  readonly rate: RateLimit;
  /** Called before a change is answered, so that nobody is let in by what was so before it. */
  readonly changed: () => void;
}

export type GatewayApp = Hono<{ Bindings: Partial<HttpBindings> }>;
type AppContext = Context<{ Bindings: Partial<HttpBindings> }>;

/**
 * The gateway as an application: a route for each row of the table, and what is mounted beside them. A request is
 * refused for its host, its token, its role, its rate and its words, in this order, before a handler sees it.
 */
export function gatewayApp(parts: AppParts, context: RunningContext): GatewayApp {
  const app: GatewayApp = new Hono({ strict: true });
  // The keys are the operations: the table is made of nothing else.
  for (const [operation, row] of Object.entries(routeTable).sort(byFixedParts) as [Operation, Route][])
    app.on(row.method, pathPattern(row.path), (c) =>
      guarded(operation, c, context, (requestId) => answer(operation, row, { c, requestId, parts }, context)),
    );
  for (const page of pageTable)
    app.get(page.path, (c) =>
      guarded("page", c, context, (requestId) => answerPage(page, { c, requestId, parts }, context)),
    );
  for (const mount of context.mounts ?? [])
    for (const path of [mount.path, `${mount.path}/*`])
      app.all(path, (c) =>
        guarded("mount", c, context, (requestId) => answerMount(mount, { c, requestId, parts }, context)),
      );
  app.notFound((c) =>
    isOfConsole(c.req.raw, context)
      ? guarded("page", c, context, (requestId) => answerPage(consolePage, { c, requestId, parts }, context))
      : guarded("none", c, context, async () => {
          admitAnyone(c, parts, context);
          throw missingRoute(c);
        }),
  );
  return app;
}

/** A path without names to fill in is found before one that has some. */
function byFixedParts([, a]: readonly [string, Route], [, b]: readonly [string, Route]): number {
  return Number(a.path.includes("{")) - Number(b.path.includes("{"));
}

export function pathPattern(path: string): string {
  return path.replace(/\{path\}$/, ":path{.+}").replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Answers a request, or says why not. Every failure of a request ends here. */
async function guarded(
  operation: Operation | "mount" | "page" | "none",
  c: AppContext,
  context: GatewayContext,
  work: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = context.registry.ids.next();
  const { method, headers } = c.req.raw;
  const ended = context.observe?.({ operation, method, headers, requestId });
  const response = await work(requestId).catch((error: unknown) => refuse(error, requestId, context));
  ended?.(response.status);
  return response;
}

function refuse(error: unknown, requestId: string, { log }: GatewayContext): Response {
  const problem = problemOf(error, requestId);
  if (problem.status >= 500)
    log({ level: "error", event: "request.failed", requestId, error, message: problem.detail });
  const more = error instanceof SkillError ? headersOf(error) : {};
  return respondProblem(problem, requestId, more);
}

function headersOf({ code, details }: SkillError): Readonly<Record<string, string>> {
  if (code === "UNAUTHENTICATED") return { "www-authenticate": 'Bearer realm="skillhold"' };
  if (code === "RATE_LIMITED") return { "retry-after": String(details["retryAfter"] ?? 1) };
  if (code === "RANGE_REFUSED") return { "content-range": `bytes */${details["size"]}` };
  if (code === "METHOD_NOT_ALLOWED") return { allow: String(details["allow"] ?? "") };
  return {};
}

interface Asked {
  readonly c: AppContext;
  readonly requestId: string;
  readonly parts: AppParts;
}

async function answer(
  operation: Operation,
  row: Route,
  { c, requestId, parts }: Asked,
  context: GatewayContext,
): Promise<Response> {
  const request = c.req.raw;
  const principal = await admit({ operation, roles: row.roles }, c, parts, context);
  const read = await readCall(row, request, c.req.param());
  const { headers, signal } = request;
  const isHead = request.method === "HEAD";
  const call = { operation, ...read, principal, headers, signal, requestId, isHead };
  // The row that the call was read by is the one of the handler's operation.
  const handle = parts.handlers[operation] as (call: object, context: GatewayContext) => Promise<object>;
  try {
    return respond(row, await handle(call, context), request, requestId);
  } finally {
    if (row.method !== "GET") parts.changed();
  }
}

async function answerMount(mount: Mount, { c, parts }: Asked, context: GatewayContext): Promise<Response> {
  const principal = await admit({ operation: undefined, roles: mount.roles }, c, parts, context);
  if (principal === undefined) throw unauthenticated();
  return await mount.handle(c.req.raw, principal);
}

async function answerPage(
  page: Page,
  { c, requestId, parts }: Asked,
  context: RunningContext,
): Promise<Response> {
  const { options } = context;
  const request = c.req.raw;
  const asked = askedOf(c);
  rejectForeignHost(asked, options);
  if (page.isForAnyOrigin !== true && !isNavigation(asked)) rejectForeignPage(asked, options);
  parts.rate.takeFrom(addressOf(c, context));
  return await page.answer({ params: c.req.param(), request, requestId }, context);
}

interface Wanted {
  readonly operation: Operation | undefined;
  readonly roles: Route["roles"];
}

/** They say what there is to ask and nothing of what is kept, and people open them by their addresses. */
const navigable: ReadonlySet<Operation | undefined> = new Set<Operation>(["getOpenApi", "getReference"]);

/** Who asks, if they may; undefined where anyone may. */
async function admit(
  { operation, roles }: Wanted,
  c: AppContext,
  parts: AppParts,
  context: GatewayContext,
): Promise<Principal | undefined> {
  const { method, headers } = c.req.raw;
  if (roles === "anyone") {
    admitAnyone(c, parts, context);
    if (operation === "signIn") parts.rate.takeSignIn(addressOf(c, context));
    return undefined;
  }
  rejectForeign(askedOf(c), context.options);
  const address = addressOf(c, context);
  const isNavigable = navigable.has(operation);
  const principal = await parts.authenticate({ method, headers, address, isNavigable });
  if (principal === undefined) {
    parts.rate.takeFrom(address);
    throw unauthenticated();
  }
  parts.rate.takeOf(principal.token);
  if (roles.includes(principal.role)) return principal;
  throw new SkillError("FORBIDDEN", `The role ${principal.role} may not do this.`, { details: { roles } });
}

function admitAnyone(c: AppContext, { rate }: AppParts, context: GatewayContext): void {
  rejectForeign(askedOf(c), context.options);
  rate.takeFrom(addressOf(c, context));
}

function askedOf(c: AppContext): Foreign {
  const { method, headers } = c.req.raw;
  return { method, headers, target: c.env?.incoming?.url };
}

function addressOf(c: AppContext, { options }: GatewayContext): string {
  return clientAddress(c.req.raw.headers, c.env?.incoming?.socket.remoteAddress, options);
}

function unauthenticated(): SkillError {
  return new SkillError("UNAUTHENTICATED", "There is no token, or it does not count.");
}

/** Another method on a path that there is, or no path at all. */
function missingRoute(c: AppContext): SkillError {
  const allow: string[] = Object.values(routeTable)
    .filter(({ path }) =>
      new RegExp(`^${path.replace(/\{path\}$/, ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(c.req.path),
    )
    .map(({ method }) => method);
  if (pageTable.some(({ path }) => path === c.req.path)) allow.push("GET");
  if (allow.length === 0) return new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
  const unique = [...new Set(allow)].join(", ");
  return new SkillError("METHOD_NOT_ALLOWED", `This path takes ${unique}.`, { details: { allow: unique } });
}
