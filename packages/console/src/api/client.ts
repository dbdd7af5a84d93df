import type { Operation, Problem, RouteTable } from "@skillhold/protocol/http";
import type { z } from "zod";
import { confirmation } from "./confirmation.ts";

/** A route key such as `GET /v1/skills/{id}`. The route table defines its input and answer types. */
export type RouteKey = { [O in Operation]: KeyOf<O> }[Operation];
type KeyOf<O extends Operation> = `${RouteTable[O]["method"]} ${RouteTable[O]["path"]}`;
type OperationOf<K extends RouteKey> = { [O in Operation]: KeyOf<O> extends K ? O : never }[Operation];
type Row<K extends RouteKey> = RouteTable[OperationOf<K>];

type Part<R, N extends string> =
  R extends Readonly<Record<N, infer S extends z.ZodType>> ? z.input<S> : undefined;
type Given<R, N extends string> =
  Part<R, N> extends undefined ? { [P in N]?: never } : { [P in N]: Part<R, N> };
type OptionalGiven<R, N extends string> = { [P in N]?: Part<R, N> };

export type CallInput<K extends RouteKey> = Given<Row<K>, "params"> &
  OptionalGiven<Row<K>, "query"> &
  (Row<K> extends { readonly body: "archive" } ? { body: Blob } : OptionalGiven<Row<K>, "body">) & {
    readonly ifMatch?: string | undefined;
    /** Of a file, so many bytes from its start. */
    readonly first?: number;
    readonly signal?: AbortSignal;
  };

export type Answer<K extends RouteKey> =
  Row<K> extends { readonly answer: infer A }
    ? A extends z.ZodType
      ? z.output<A>
      : A extends "bytes"
        ? Blob
        : undefined
    : never;

/** A failed call: an error from the gateway, or a network error. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string;
  readonly requestId: string | undefined;

  constructor({
    code,
    status,
    detail,
    hint,
    requestId,
  }: Omit<Partial<Problem>, "code"> & { readonly code: string }) {
    super(detail ?? "The request failed.");
    this.name = "ApiError";
    this.code = code;
    this.status = status ?? 0;
    this.hint = hint ?? "Try again.";
    this.requestId = requestId;
  }
}

const CSRF = "skillhold.csrf";

/** The CSRF token that the gateway requires with the cookie; a page of another site cannot read it. */
export const csrf = {
  read: () => localStorage.getItem(CSRF) ?? "",
  keep: (value: string) => localStorage.setItem(CSRF, value),
  forget: () => localStorage.removeItem(CSRF),
};

/** Calls a route. Every error it throws is an ApiError. */
export async function call<K extends RouteKey>(key: K, input?: CallInput<K>): Promise<Answer<K>> {
  return (await callTagged(key, input)).answer;
}

export interface Tagged<K extends RouteKey> {
  readonly answer: Answer<K>;
  /** What `ifMatch` of a change is checked against. */
  readonly tag: string | undefined;
}

/** `call`, with the mark of the state that it answers with. */
export async function callTagged<K extends RouteKey>(key: K, input?: CallInput<K>): Promise<Tagged<K>> {
  let response = await send(key, input ?? {});
  if (!response.ok) {
    const failure = await failureOf(response);
    if (failure.code !== "SIGN_IN_REQUIRED" || !(await confirmation.ask())) throw failure;
    response = await send(key, input ?? {});
  }
  if (!response.ok) throw await failureOf(response);
  const tag = /^(?:W\/)?"(.*)"$/.exec(response.headers.get("etag") ?? "")?.[1];
  if (response.status === 204) return { answer: undefined as Answer<K>, tag };
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  // The gateway answers by the same table that the types are from.
  return { answer: (isJson ? await response.json() : await response.blob()) as Answer<K>, tag };
}

interface AnyInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly first?: number;
  readonly signal?: AbortSignal;
}

async function send(
  key: RouteKey,
  { params, query, body, ifMatch, first, signal }: AnyInput,
): Promise<Response> {
  const [method = "GET", path = ""] = key.split(" ");
  const headers = new Headers({ "x-skillhold-csrf": csrf.read() });
  if (ifMatch !== undefined) headers.set("if-match", `"${ifMatch}"`);
  if (first !== undefined) headers.set("range", `bytes=0-${first - 1}`);
  const isArchive = body instanceof Blob;
  if (body !== undefined)
    headers.set("content-type", isArchive ? body.type || "application/zip" : "application/json");
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) init.body = isArchive ? body : JSON.stringify(body);
  if (signal !== undefined) init.signal = signal;
  try {
    return await fetch(addressOf(path, params, query), init);
  } catch {
    if (signal?.aborted === true) throw new ApiError({ code: "INTERRUPTED", detail: "Cancelled." });
    throw new ApiError({
      code: "OFFLINE",
      detail: "The gateway cannot be reached.",
      hint: "Check that the gateway is running, then try again.",
    });
  }
}

/** Where a route is, filled in. */
export function addressOf(path: string, params: unknown, query: unknown): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(textsOf(params)[name] ?? "");
    return name === "path" ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
  const asked = Object.entries(textsOf(query)).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function textsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

async function failureOf(response: Response): Promise<ApiError> {
  try {
    return new ApiError(await response.json());
  } catch {
    return new ApiError({ code: "INTERNAL", status: response.status, detail: response.statusText });
  }
}
