import { SkillError } from "@skillhold/protocol/error";
import type { Operation, Route } from "@skillhold/protocol/http";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import type { Authenticated } from "../auth/authentication.ts";
import type { Principal } from "../auth/principal.ts";
import { parseJsonBytes, readBytes, type TakeRequests } from "./json-body.ts";

const MAX_JSON = 1024 * 1024;

export interface CallParts {
  readonly operation: Operation;
  readonly request: Request;
  readonly requestId: string;
  readonly params: RequestParams;
  readonly body: unknown;
  readonly authenticated: Authenticated | undefined;
}

/** A validated request, before its operation's types are known. */
export class RequestCall {
  readonly operation: Operation;
  readonly params: object;
  readonly query: object;
  readonly paramsKey: string;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly storeVersion: number | undefined;
  readonly headers: Headers;
  readonly requestId: string;
  readonly #request: Request;

  constructor({ operation, request, requestId, params, body, authenticated }: CallParts) {
    this.operation = operation;
    this.params = params.path;
    this.query = params.query;
    this.paramsKey = params.key;
    this.body = body;
    this.principal = authenticated?.principal;
    this.storeVersion = authenticated?.storeVersion;
    this.headers = request.headers;
    this.requestId = requestId;
    this.#request = request;
  }

  /** A getter, because Node creates the signal on first use and most handlers do not need it. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

/** The parameters of a request's URL. */
export interface RequestParams {
  readonly path: object;
  readonly query: object;
  /** Both as one text: different parameters have different keys. */
  readonly key: string;
}

const MAX_CACHED_URLS = 4000;
/** A longer URL is unlikely to repeat. */
const MAX_CACHED_LENGTH = 400;

/** Parses the parameters of URLs and caches those of GET requests: they depend on the URL alone. */
export class ParamsCache {
  readonly #cached = new LRUCache<string, { readonly row: Route; readonly params: RequestParams }>({
    max: MAX_CACHED_URLS,
  });

  /** Contract: `pathParams` returns the path parameters of the row, as the URL has them. */
  read(row: Route, url: string, pathParams: () => Readonly<Record<string, string>>): RequestParams {
    const cached = this.#cached.get(url);
    if (cached?.row === row) return cached.params;
    const params = parseParams(row, url, pathParams());
    if (row.method === "GET" && url.length <= MAX_CACHED_LENGTH) this.#cached.set(url, { row, params });
    return params;
  }
}

function parseParams(row: Route, url: string, given: Readonly<Record<string, string>>): RequestParams {
  const path = row.params === undefined ? {} : parse(row.params, given, "path");
  const query = parseQuery(row, url);
  return { path: Object.freeze(path), query: Object.freeze(query), key: JSON.stringify([path, query]) };
}

function parseQuery(row: Route, url: string): object {
  // Most URLs have no query and need no parsing.
  const given = url.includes("?") ? [...new URL(url).searchParams] : [];
  const names = given.map(([name]) => name);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined)
    throw new SkillError("USAGE", `The query parameter ${repeated.slice(0, 64)} is given twice.`, {
      hint: "Give it once.",
    });
  if (row.query === undefined && names.length === 0) return {};
  if (row.query === undefined)
    throw new SkillError("USAGE", "This route has no query parameters.", {
      hint: "Remove everything after the `?`.",
    });
  return parse(row.query, Object.fromEntries(given), "query");
}

/** Reads and validates the body; an archive stays a stream. */
export async function readRequestBody(row: Route, request: Request, take: TakeRequests): Promise<unknown> {
  if (row.body === undefined) return undefined;
  if (row.body === "archive") return request.body ?? new ReadableStream({ start: (end) => end.close() });
  return parse(row.body, await readJson(request, take), "body");
}

function parse<T>(schema: z.ZodType<T>, value: unknown, part: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    const field = path.map(String).join(".");
    return field === "" ? message : `${field}: ${message}`;
  });
  throw new SkillError("USAGE", `The ${part} is invalid: ${faults.join("; ").slice(0, 500)}.`, {
    hint: "/openapi.json describes the input of this route.",
  });
}

/** The JSON body, undefined when it is empty. */
async function readJson(request: Request, take: TakeRequests): Promise<unknown> {
  const bytes = await readBytes(request, MAX_JSON, take);
  if (bytes.length === 0) return undefined;
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json(;|$)/i.test(type.trim()))
    throw new SkillError("MEDIA_TYPE_REFUSED", "The body must be JSON.", {
      hint: "Send it with `Content-Type: application/json`.",
    });
  return parseJsonBytes(bytes);
}
