import type { Operation, RouteTable } from "@skillhold/protocol/http";
import type { z } from "zod";
import type { Principal } from "../auth/principal.ts";
import type { RunningContext } from "../running-context.ts";

type Row<O extends Operation> = RouteTable[O];
type Parsed<R, K extends string> =
  R extends Readonly<Record<K, infer S extends z.ZodType>> ? z.output<S> : Record<never, never>;
type Body<R> = R extends { readonly body: "archive" }
  ? ReadableStream<Uint8Array>
  : R extends { readonly body: infer S extends z.ZodType }
    ? z.output<S>
    : undefined;

/** A request for an operation, checked against its row of the table. */
export interface Call<O extends Operation> {
  readonly operation: O;
  readonly params: Parsed<Row<O>, "params">;
  readonly query: Parsed<Row<O>, "query">;
  /** Both as text. */
  readonly words?: string;
  readonly body: Body<Row<O>>;
  readonly principal: Row<O>["roles"] extends "anyone" ? Principal | undefined : Principal;
  /** The store's version, asked since the request came; undefined where nobody did. */
  readonly seen?: number | undefined;
  readonly headers: Headers;
  readonly requestId: string;
  /** Whether only the head of the answer is sent: nothing is handed over then. */
  readonly isHead?: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

interface Common {
  /** Without the quotes. */
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonReply<T> extends Common {
  readonly data: T;
}

/** The same as text that was made before. */
export interface TextReply extends Common {
  readonly json: Uint8Array<ArrayBuffer> | string;
}

export interface BytesReply extends Common {
  readonly bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | string;
  readonly type: string;
  readonly status?: 200 | 206;
}

/** What the caller has is what there is. */
export interface UnchangedReply {
  readonly unchanged: string;
}

export type Reply<O extends Operation> =
  Row<O> extends { readonly answer: infer A }
    ? A extends "nothing"
      ? Common
      : A extends "bytes"
        ? BytesReply | UnchangedReply
        : A extends z.ZodType
          ? JsonReply<z.input<A>> | TextReply | UnchangedReply
          : never
    : never;

export type Handler<O extends Operation> = (call: Call<O>, context: RunningContext) => Promise<Reply<O>>;

/** One for each row of the table; a row without one does not compile. */
export type Handlers = { readonly [O in Operation]: Handler<O> };
