import type { HttpBindings } from "@hono/node-server";
import { type Operation, type Route, routeTable } from "@skillhold/protocol/http";
import { Hono } from "hono";
import {
  type AppContext,
  admit,
  admitAnyone,
  type Gatekeepers,
  headOf,
  openResponse,
  remoteAddress,
} from "./auth/admission.ts";
import { type Authenticated, unauthenticated } from "./auth/authentication.ts";
import { isNavigation, rejectForeignHost, rejectForeignPage } from "./auth/host-check.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { rejectUnsupported } from "./http/condition.ts";
import { FirstMatchRouter } from "./http/first-match-router.ts";
import type { Handlers } from "./http/handler.ts";
import { readBytes, rejectExcessive, type TakeRequests } from "./http/json-body.ts";
import { problemResponse } from "./http/problem.ts";
import { ParamsCache, RequestCall, readRequestBody } from "./http/request-call.ts";
import { type AnyReply, respond, securityHeaders } from "./http/response.ts";
import { recordServed, type Served } from "./http/served.ts";
import { missingRoutes } from "./missing-route.ts";
import type { GatewayMount } from "./mount.ts";
import { consolePage, isConsolePath } from "./page/console-page.ts";
import type { GatewayPage } from "./page/page.ts";
import { pageTable } from "./page/page-table.ts";
import type { RunningContext } from "./running-context.ts";
import { inRequestSpan } from "./telemetry/span.ts";

export interface AppParts extends Gatekeepers {
  readonly handlers: Handlers;
  /** Called before the response to a change, so that no later request is admitted by a cached token. */
  readonly changed: () => void;
}

export type GatewayApp = Hono<{ Bindings: Partial<HttpBindings> }>;

/**
 * The gateway as an application: one route per row of the table, the pages and the mounts. A request is checked for its
 * host, token, rate, role and input, in this order, before its handler runs.
 */
export function gatewayApp(parts: AppParts, context: RunningContext): GatewayApp {
  const app: GatewayApp = new Hono({ strict: true, router: new FirstMatchRouter() });
  const params = new ParamsCache();
  const missing = missingRoutes();
  // The keys of the table are the operations.
  for (const [operation, row] of Object.entries(routeTable).sort(byFixedParts) as [Operation, Route][])
    app.on(row.method, pathPattern(row.path), (c) =>
      observed(operation, c, context, (requestId) =>
        answerRoute(operation, row, { c, requestId, parts, params }, context),
      ),
    );
  for (const page of pageTable)
    app.get(page.path, (c) =>
      observed("page", c, context, (requestId) => answerPage(page, { c, requestId, parts }, context)),
    );
  for (const mount of context.mounts ?? [])
    for (const path of [mount.path, `${mount.path}/*`])
      app.all(path, (c) =>
        observed("mount", c, context, (requestId) => answerMount(mount, { c, requestId, parts }, context)),
      );
  app.notFound((c) =>
    isConsolePath(c.req.raw, context)
      ? observed("page", c, context, (requestId) => answerPage(consolePage, { c, requestId, parts }, context))
      : observed("none", c, context, async () => {
          admitAnyone(c, parts, context);
          throw missing(c.req.path);
        }),
  );
  return app;
}

/** Paths without parameters come first. */
function byFixedParts([, a]: readonly [string, Route], [, b]: readonly [string, Route]): number {
  return Number(a.path.includes("{")) - Number(b.path.includes("{"));
}

export function pathPattern(path: string): string {
  return path.replace(/\{path\}$/, ":path{.+}").replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Runs a request in its span and reports its status. Every error of a request becomes a problem here. */
async function observed(
  operation: Operation | "mount" | "page" | "none",
  c: AppContext,
  context: GatewayContext,
  work: (requestId: string) => Promise<Response>,
): Promise<Response> {
  const requestId = context.registry.ids.next();
  const { method, headers } = c.req.raw;
  const started = { operation, method, headers, requestId };
  const ended = context.observe?.(started);
  const response = await inRequestSpan(started, () =>
    work(requestId).catch((error: unknown) => problemResponse(error, requestId, context)),
  );
  ended?.(response.status);
  return response;
}

interface AppRequest {
  readonly c: AppContext;
  readonly requestId: string;
  readonly parts: AppParts;
}

async function answerRoute(
  operation: Operation,
  row: Route,
  { c, requestId, parts, params }: AppRequest & { readonly params: ParamsCache },
  context: RunningContext,
): Promise<Response> {
  const request = c.req.raw;
  const authenticated = await admit(
    { operation, roles: row.roles, isSensitive: row.isSensitive },
    c,
    parts,
    context,
  );
  const reserve = openResponse(c, authenticated, parts, context);
  rejectUnsupported(row, request);
  const parsed = params.read(row, request.url, () => c.req.param());
  const body = await readRequestBody(row, request, takeFor(authenticated, { c, parts }, context));
  const call = new RequestCall({ operation, request, requestId, params: parsed, body, authenticated });
  // The call was parsed by the row of this operation, which is the row of the handler.
  const handle = parts.handlers[operation] as (call: object, context: RunningContext) => Promise<object>;
  const record = async (served: readonly Served[]) => {
    // A row with content is never open to anyone.
    if (authenticated === undefined) throw unauthenticated(false);
    await recordServed(authenticated.principal, served, context);
  };
  try {
    const reply: AnyReply = await handle(call, context);
    return await respond(row, reply, { request, requestId, reserve, record });
  } finally {
    if (row.method !== "GET") parts.changed();
  }
}

async function answerMount(
  mount: GatewayMount,
  { c, requestId, parts }: AppRequest,
  context: RunningContext,
): Promise<Response> {
  const authenticated = await admit({ operation: undefined, roles: mount.roles }, c, parts, context);
  if (authenticated === undefined) throw unauthenticated(false);
  const { principal } = authenticated;
  openResponse(c, authenticated, parts, context);
  context.mounted.note(principal);
  const take = takeFor(authenticated, { c, parts }, context);
  return withHeaders(await mount.handle(await checkedRequest(c.req.raw, take), principal, take), requestId);
}

/** Counts more requests for the client of a request. */
function takeFor(
  authenticated: Authenticated | undefined,
  { c, parts }: Pick<AppRequest, "c" | "parts">,
  context: RunningContext,
): TakeRequests {
  if (authenticated === undefined) return (more) => parts.rate.takeFrom(remoteAddress(c, context), more);
  return (more) => parts.rate.takeOf(authenticated.principal.token, more);
}

/** The most bytes that a mount gets in one request. */
const MAX_MOUNT_BODY = 4 * 1024 * 1024;

/** The request with a body that is safe to parse as JSON. */
async function checkedRequest(request: Request, take: TakeRequests): Promise<Request> {
  if (request.body === null) return request;
  const body = await readBytes(request, MAX_MOUNT_BODY, take);
  rejectExcessive(body);
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

/** Adds the headers of every response to the response of a mount. */
function withHeaders({ body, status, headers: given }: Response, requestId: string): Response {
  const headers = new Headers({ "cache-control": "private, no-cache" });
  for (const [name, value] of given) headers.set(name, value);
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
  headers.set("x-request-id", requestId);
  return new Response(body, { status, headers });
}

async function answerPage(
  page: GatewayPage,
  { c, requestId, parts }: AppRequest,
  context: RunningContext,
): Promise<Response> {
  const { options } = context;
  const request = c.req.raw;
  const head = headOf(c);
  rejectForeignHost(head, options);
  if (page.isForAnyOrigin !== true && !isNavigation(head)) rejectForeignPage(head, options);
  parts.rate.takeFrom(remoteAddress(c, context));
  const reserve = openResponse(c, undefined, parts, context);
  const response = await page.answer({ params: c.req.param(), request, requestId }, context);
  if (request.method !== "HEAD") reserve(Number(response.headers.get("content-length")));
  return response;
}
