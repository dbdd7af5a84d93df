import { systemTimers, type Timers } from "@skillhold/core/port";
import { parseBoundedJson } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { type Operation, type Route, type RouteTable, routeTable } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import type { z } from "zod";
import { gatewayAddress, showAddress } from "./gateway-address.ts";
import {
  badAnswer,
  causeCode,
  integrityFailed,
  refusedBy,
  remoteFailed,
  unanswered,
} from "./remote-failure.ts";

export interface GatewayAccess {
  readonly url: string;
  readonly token: string;
  /** Whether the token may be sent to another machine without TLS. */
  readonly isInsecure?: boolean;
  /** Cancels all requests. */
  readonly signal?: AbortSignal;
}

/** The parameters of a request. */
export interface RequestInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** An archive to upload, with its size. */
export interface UploadInput extends RequestInput {
  readonly body: ReadableStream<Uint8Array>;
  readonly size: number;
  readonly type: string;
}

type Answering = { [O in Operation]: RouteTable[O]["answer"] extends z.ZodType ? O : never }[Operation];
export type AnswerOf<O extends Answering> = z.output<RouteTable[O]["answer"]>;

/** A response with its ETag. */
export interface Answered<O extends Answering> {
  readonly data: AnswerOf<O>;
  readonly etag: string | undefined;
}

type BytesOperation = { [O in Operation]: RouteTable[O]["answer"] extends "bytes" ? O : never }[Operation];

interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ReadableStream<Uint8Array>;
  /** The number of bytes sent or received, if known; more bytes extend the deadline. */
  readonly size?: number;
}

/** The slowest accepted transfer rate. */
const LEAST_BYTES_PER_MS = 16;
const PROBLEM_BYTES = 64 * 1024;

/**
 * Calls the routes of a gateway, which may be hostile or broken. Follows no redirects, limits time and size,
 * and rejects responses that do not match the route table.
 */
export class GatewayClient {
  /** The base URL of the routes. */
  readonly base: URL;
  /** For display. */
  readonly address: string;
  readonly token: string;
  readonly #limits: Limits;
  readonly #timers: Timers;
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;

  constructor(
    { url, token, isInsecure = false, signal }: GatewayAccess,
    limits: Limits,
    timers: Timers = systemTimers,
  ) {
    this.#timers = timers;
    this.base = gatewayAddress(url, { isInsecure });
    this.address = showAddress(this.base);
    this.token = checkToken(token);
    this.#limits = limits;
    const { signal: closing } = this.#closing;
    this.#signal = signal === undefined ? closing : AbortSignal.any([closing, signal]);
  }

  async ask<O extends Answering>(operation: O, input: RequestInput = {}): Promise<Answered<O>> {
    const answered = await this.askAgain(operation, input, undefined);
    if (answered === undefined) throw badAnswer(this.address, "status 304 without a cached response.");
    return answered;
  }

  /** Like `ask` with an earlier ETag: undefined if the response is unchanged. */
  async askAgain<O extends Answering>(
    operation: O,
    input: RequestInput,
    etag: string | undefined,
  ): Promise<Answered<O> | undefined> {
    const headers = etag === undefined ? {} : { "if-none-match": etag };
    return await this.#request(operation, input, { headers }, async (response) => {
      if (response.status === 304 && etag !== undefined) return undefined;
      return await this.#readAnswer(operation, response);
    });
  }

  /** The bytes of a response with a known size. */
  async bytes(operation: BytesOperation, input: RequestInput, size: number): Promise<Uint8Array> {
    return await this.#request(operation, input, { size }, async (response) => {
      if (response.status !== 200) throw badAnswer(this.address, `status ${response.status}.`);
      return await readBody(response, size, (most) =>
        integrityFailed(`The gateway ${this.address} sent more than the ${most} bytes that it lists.`),
      );
    });
  }

  async send<O extends Answering>(
    operation: O,
    { body, size, type, ...input }: UploadInput,
  ): Promise<Answered<O>> {
    const headers = { "content-type": type, "content-length": String(size) };
    return await this.#request(operation, input, { headers, body, size }, (response) =>
      this.#readAnswer(operation, response),
    );
  }

  /** Cancels running requests and rejects later ones. */
  close(): void {
    this.#closing.abort(remoteFailed("The library is closed.", { hint: "Open it again." }));
  }

  async #request<T>(
    operation: Operation,
    input: RequestInput,
    { headers = {}, body, size = 0 }: Request,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const row: Route = routeTable[operation];
    const deadline = new AbortController();
    const ms = this.#limits.remoteMs + Math.ceil(size / LEAST_BYTES_PER_MS);
    const cancelTimer = this.#timers.after(ms, () => deadline.abort(this.#late(ms)));
    try {
      const response = await fetchAnswer(addressOf(this.base, row.path, input), {
        method: row.method,
        headers: { authorization: `Bearer ${this.token}`, ...headers },
        redirect: "manual",
        signal: AbortSignal.any([this.#signal, deadline.signal]),
        ...(body === undefined ? {} : { body, duplex: "half" }),
      });
      await this.#rejectRefused(response);
      return await read(response);
    } catch (error) {
      throw unanswered(error, this.address);
    } finally {
      cancelTimer();
      // Cancels the unread part of the response and releases its resources.
      deadline.abort();
    }
  }

  async #rejectRefused(response: Response): Promise<void> {
    const { status, headers } = response;
    if (response.ok || status === 304) return;
    if (status >= 300 && status < 400) throw redirected(this.address, headers.get("location"));
    const isProblem = typeOf(headers) === "application/problem+json";
    const text = isProblem ? await readText(response, PROBLEM_BYTES, this.address) : "";
    // The response may repeat the token, and its text is shown.
    throw refusedBy(text.replaceAll(this.token, "…"), status, this.address);
  }

  async #readAnswer<O extends Answering>(operation: O, response: Response): Promise<Answered<O>> {
    const { status, headers } = response;
    const row: Route = routeTable[operation];
    const type = typeOf(headers);
    if (status !== (row.status ?? 200)) throw badAnswer(this.address, `status ${status}.`);
    if (type !== "application/json") throw badAnswer(this.address, `content type ${type || "missing"}.`);
    const text = await readText(response, this.#limits.remoteAnswerBytes, this.address);
    return { data: parseAnswer(operation, text, this.address), etag: headers.get("etag") ?? undefined };
  }

  #late(ms: number): SkillError {
    return new SkillError(
      "TIMED_OUT",
      `The gateway ${this.address} did not answer within ${ms} ms (remoteMs).`,
      { hint: "Check that the gateway is reachable and not overloaded, or raise the limit." },
    );
  }
}

/** A kept-alive connection may have been closed meanwhile, so GET requests are retried once. */
async function fetchAnswer(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.method !== "GET" || !CLOSED.has(causeCode(error))) throw error;
    return await fetch(url, init);
  }
}

const CLOSED: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

function parseAnswer<O extends Answering>(operation: O, text: string, address: string): AnswerOf<O> {
  try {
    const parsed = routeTable[operation].answer.parse(parseBoundedJson(text));
    // The schema belongs to the operation, but the compiler cannot infer that from the table.
    return parsed as AnswerOf<O>;
  } catch (error) {
    // Not JSON, not valid for the schema, or nested too deeply.
    throw badAnswer(address, `the body is not a valid ${operation} response.`, error);
  }
}

/** Only printable ASCII is allowed in a header, and all tokens consist of it. */
function checkToken(token: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(token)) return token;
  throw new SkillError("USAGE", "The gateway token is invalid.", {
    hint: "Run `skillhold token create` on the gateway's machine to create a token.",
  });
}

function addressOf(base: URL, path: string, { params = {}, query = {} }: RequestInput): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePath(params[name] ?? ""));
  const url = new URL(`.${filled}`, base);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Contract: no part is `.` or `..`, because URLs resolve them even when encoded. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function typeOf(headers: Headers): string {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  return type.trim().toLowerCase().slice(0, 100);
}

function redirected(address: string, location: string | null): SkillError {
  const target = location === null ? null : URL.parse(location, address);
  const where = target === null ? "elsewhere" : `to ${target.origin}`;
  return remoteFailed(`The gateway ${address} redirects ${where}, and the token is not sent there.`, {
    hint: "Use the address of the gateway itself.",
  });
}

/** Reads a response body and aborts beyond the limit, whatever length was announced. */
async function readBody(
  { body }: Pick<Response, "body">,
  mostBytes: number,
  excess: (mostBytes: number) => SkillError,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw excess(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a response body as text. */
async function readText(
  response: Pick<Response, "body">,
  mostBytes: number,
  address: string,
): Promise<string> {
  const bytes = await readBody(response, mostBytes, (most) =>
    badAnswer(address, `the body has more than ${most} bytes.`),
  );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw badAnswer(address, "the body is not UTF-8 text.", error);
  }
}
