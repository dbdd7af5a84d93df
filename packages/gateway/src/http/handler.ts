import type { Operation, Route, RouteTable } from "@skillhold/protocol/http";
import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { CatalogueContext, RunningContext } from "../running-context.ts";
import type { Served } from "./served.ts";

type Parsed<R, K extends string> =
  R extends Readonly<Record<K, infer S extends z.ZodType>> ? z.output<S> : Record<never, never>;
type Body<R> = R extends { readonly body: "archive" }
  ? ReadableStream<Uint8Array>
  : R extends { readonly body: infer S extends z.ZodType }
    ? z.output<S>
    : undefined;

/** A request that was validated against its row of the route table. */
export interface RouteCall<R extends Route> {
  readonly params: Parsed<R, "params">;
  readonly query: Parsed<R, "query">;
  /** Params and query as one text, for cache keys. */
  readonly paramsKey?: string;
  readonly body: Body<R>;
  readonly principal: R["roles"] extends "anyone" ? Principal | undefined : Principal;
  /** The store's version, read after the request arrived; undefined when it was not read. */
  readonly storeVersion?: number | undefined;
  readonly headers: Headers;
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface Call<O extends Operation> extends RouteCall<RouteTable[O]> {
  readonly operation: O;
}

interface ReplyFields {
  /** Without the quotes. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonReply<T> extends ReplyFields {
  readonly data: T;
}

/** JSON that is already serialized. */
export interface JsonTextReply extends ReplyFields {
  readonly json: Uint8Array<ArrayBuffer> | string;
}

export interface BytesReply extends ReplyFields {
  readonly bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | string;
  readonly type: string;
  readonly status?: 200 | 206;
}

/** The client's copy is current. */
export interface UnchangedReply {
  readonly unchanged: string;
}

/** A reply of a content route. The response writer records `served` before it sends the response. */
export interface ContentReply {
  readonly served: readonly Served[];
}

/** Adds the mandatory record to the replies of content routes. */
type Recorded<R extends Route, Reply> = R extends { readonly content: "skill" }
  ? Reply & ContentReply
  : Reply;

export type RouteReply<R extends Route> = R extends { readonly answer: infer A }
  ? A extends "nothing"
    ? Recorded<R, ReplyFields>
    : A extends "bytes"
      ? Recorded<R, BytesReply> | UnchangedReply
      : A extends z.ZodType
        ? Recorded<R, JsonReply<z.input<A>> | JsonTextReply> | UnchangedReply
        : never
  : never;

export type Reply<O extends Operation> = RouteReply<RouteTable[O]>;

/** Only handlers of content routes can read skill content from their context. */
export type RouteContext<R extends Route> = R extends { readonly content: "skill" }
  ? RunningContext
  : CatalogueContext;

/** The handler of one row of the route table. */
export type RouteHandler<R extends Route> = (
  call: RouteCall<R>,
  context: RouteContext<R>,
) => Promise<RouteReply<R>>;

export type Handler<O extends Operation> = (
  call: Call<O>,
  context: RouteContext<RouteTable[O]>,
) => Promise<Reply<O>>;

/** One handler per row: a row without a handler does not compile. */
export type Handlers = { readonly [O in Operation]: Handler<O> };
