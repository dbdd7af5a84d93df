import type { HttpBindings } from "@hono/node-server";
import { type Operation, type Route, routeTable } from "@skillhold/protocol/http";
import { Hono } from "hono";
import { isNavigation, rejectForeignHost, rejectForeignPage } from "./auth/host-check.ts";
import { unauthenticated } from "./auth/unauthenticated.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { rejectUnsupported } from "./http/condition.ts";
import { FirstRoute } from "./http/first-route.ts";
import type { Handlers } from "./http/handler.ts";
import { KnownWords } from "./http/known-words.ts";
import { readBody } from "./http/read-call.ts";
import { refuse } from "./http/refuse.ts";
import { RequestCall } from "./http/request-call.ts";
import { type AnyReply, always, respond } from "./http/respond.ts";
import {
  type AppContext,
  addressOf,
  admit,
  admitAnyone,
  askedOf,
  beginAnswer,
  type Gatekeepers,
} from "./limit/admission.ts";
import { missingRoutes } from "./missing-route.ts";
import type { Mount } from "./mount.ts";
import { consolePage, isOfConsole } from "./page/console-page.ts";
import type { Page } from "./page/page.ts";
import { pageTable } from "./page/page-table.ts";
import type { RunningContext } from "./running-context.ts";
import { inRequestSpan } from "./telemetry/request-span.ts";

export interface AppParts extends Gatekeepers {
  readonly handlers: Handlers;
  /** Called before a change is answered, so that nobody is let in by what was so before it. */
  readonly changed: () => void;
}

export type GatewayApp = Hono<{ Bindings: Partial<HttpBindings> }>;

/**
 * The gateway as an application: a route for each row of the table, and what is mounted beside them. A request is
 * refused for its host, its token, its role, its rate and its words, in this order, before a handler sees it.
 */
export function gatewayApp(parts: AppParts, context: RunningContext): GatewayApp {
  const app: GatewayApp = new Hono({ strict: true, router: new FirstRoute() });
  const words = new KnownWords();
  const missing = missingRoutes();
  // The keys are the operations: the table is made of nothing else.
  for (const [operation, row] of Object.entries(routeTable).sort(byFixedParts) as [Operation, Route][])
    app.on(row.method, pathPattern(row.path), (c) =>
      guarded(operation, c, context, (requestId) =>
        answer(operation, row, { c, requestId, parts, words }, context),
      ),
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
          throw missing(c.req.path);
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
  const started = { operation, method, headers, requestId };
  const ended = context.observe?.(started);
  const response = await inRequestSpan(started, () =>
    work(requestId).catch((error: unknown) => refuse(error, requestId, context)),
  );
  ended?.(response.status);
  return response;
}

interface Asked {
  readonly c: AppContext;
  readonly requestId: string;
  readonly parts: AppParts;
}

async function answer(
  operation: Operation,
  row: Route,
  { c, requestId, parts, words }: Asked & { readonly words: KnownWords },
  context: GatewayContext,
): Promise<Response> {
  const request = c.req.raw;
  const found = await admit({ operation, roles: row.roles }, c, parts, context);
  const weigh = beginAnswer(c, found, parts, context);
  rejectUnsupported(row, request);
  const said = words.read(row, request.url, () => c.req.param());
  const body = row.body === undefined ? undefined : await readBody(row, request);
  const call = new RequestCall({ operation, request, requestId, words: said, body, found });
  // The row that the call was read by is the one of the handler's operation.
  const handle = parts.handlers[operation] as (call: object, context: GatewayContext) => Promise<object>;
  try {
    const reply: AnyReply = await handle(call, context);
    return respond(row, reply, { request, requestId, weigh });
  } finally {
    if (row.method !== "GET") parts.changed();
  }
}

async function answerMount(
  mount: Mount,
  { c, requestId, parts }: Asked,
  context: RunningContext,
): Promise<Response> {
  const found = await admit({ operation: undefined, roles: mount.roles }, c, parts, context);
  if (found === undefined) throw unauthenticated(false);
  const { principal } = found;
  beginAnswer(c, found, parts, context);
  context.mounted.note(principal);
  const take = (more: number) => parts.rate.takeOf(principal.token, more);
  return withHeaders(await mount.handle(c.req.raw, principal, take), requestId);
}

/** What is true of every answer, also of one that something else has made. */
function withHeaders({ body, status, headers: given }: Response, requestId: string): Response {
  const headers = new Headers({ "cache-control": "private, no-cache" });
  for (const [name, value] of given) headers.set(name, value);
  for (const [name, value] of Object.entries(always)) headers.set(name, value);
  headers.set("x-request-id", requestId);
  return new Response(body, { status, headers });
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
  const weigh = beginAnswer(c, undefined, parts, context);
  const response = await page.answer({ params: c.req.param(), request, requestId }, context);
  if (request.method !== "HEAD") weigh(Number(response.headers.get("content-length")));
  return response;
}
