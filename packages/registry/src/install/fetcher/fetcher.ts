import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction } from "node:net";
import {
  HostPins,
  type NetworkPolicy,
  normalHost,
  type PinnedHost,
  type Resolve,
} from "@skillhold/core/network";
import { parseBoundedJson } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";

export interface FetcherOptions {
  readonly resolve: Resolve;
  readonly policy: FetchPolicy;
  readonly limits: Pick<Limits, "remoteMs" | "archiveBytes">;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchPolicy extends NetworkPolicy {
  /** Whether this host may be asked without TLS. */
  isPlainAllowed(host: string): boolean;
  /** The value of the `Authorization` header for a host. */
  authorization?(host: string): string | undefined;
}

export interface FetchRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The most that the answer may have; by default what an archive may. */
  readonly maxBytes?: number;
  /** Statuses other than 200 that are answers and no failures. */
  readonly accepts?: readonly number[];
  readonly method?: "GET" | "POST" | "PUT" | "HEAD";
  readonly body?: Uint8Array;
  /** The most redirects that are followed; 3 by default. */
  readonly redirects?: number;
}

export interface Fetched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** Where the answer came from, after redirects. */
  readonly url: string;
}

const MOST_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Slower than this no file comes. */
const LEAST_BYTES_PER_MS = 16;

/**
 * The one way to fetch what others serve. A host is resolved once, its address is judged and then dialed; redirects are
 * few and each is judged again; answers are bounded in size and time; credentials go to the host they are for.
 */
export class Fetcher {
  readonly pins: HostPins;
  readonly #options: FetcherOptions;
  readonly #agents = new Map<string, Agent>();
  #bytes = 0;
  #requests = 0;

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.pins = new HostPins(options.resolve, options.policy);
  }

  /** How much was received so far. */
  get traffic(): { readonly bytes: number; readonly requests: number } {
    return { bytes: this.#bytes, requests: this.#requests };
  }

  async fetch(address: string, request: FetchRequest = {}): Promise<Fetched> {
    let url = this.#admit(address);
    const most = request.redirects ?? MOST_REDIRECTS;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#send(url, request, redirects > 0);
      if (!REDIRECTS.has(answer.status)) return this.#accept(answer, request);
      if (redirects === most) throw failed(url, `redirects more than ${most} times`);
      const target = URL.parse(answer.headers["location"] ?? "", url.href);
      if (target === null) throw failed(url, "sends on to no address");
      url = this.#admit(target.href);
    }
  }

  async json(address: string, request: FetchRequest = {}): Promise<unknown> {
    const { bytes, url } = await this.fetch(address, { maxBytes: JSON_BYTES, ...request });
    return parseJson(bytes, url);
  }

  /** Closes the connections that are kept. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #admit(address: string): URL {
    const url = URL.parse(address);
    if (url === null) throw new SkillError("USAGE", `${shown(address)} is not a URL.`);
    if (url.username !== "" || url.password !== "")
      throw new SkillError("POLICY_DENIED", `The URL of ${url.host} holds a user name or a password.`, {
        hint: "Use a URL without them.",
      });
    const isPlain = url.protocol === "http:" && this.#options.policy.isPlainAllowed(normalHost(url));
    if (url.protocol === "https:" || isPlain) return url;
    throw new SkillError("POLICY_DENIED", `${shown(url.href)} is not an https address.`, {
      hint: "Use https; plain http is for this machine alone.",
    });
  }

  #accept(answer: Fetched, { accepts = [] }: FetchRequest): Fetched {
    if (answer.status === 200 || accepts.includes(answer.status)) return answer;
    throw refusal(answer);
  }

  async #send(url: URL, request: FetchRequest, isRedirected: boolean): Promise<Fetched> {
    const pinned = await this.pins.pin(url);
    const maxBytes = request.maxBytes ?? this.#options.limits.archiveBytes;
    const ms = this.#options.limits.remoteMs + Math.ceil(maxBytes / LEAST_BYTES_PER_MS);
    const late = AbortSignal.timeout(ms);
    const { signal: called } = this.#options;
    const signal = called === undefined ? late : AbortSignal.any([late, called]);
    try {
      const message = await this.#open(url, pinned, request, { isRedirected, signal });
      return await this.#read(message, url, maxBytes);
    } catch (error) {
      if (error instanceof SkillError) throw error;
      if (called?.aborted === true) throw called.reason;
      if (late.aborted) throw timedOut(url, ms);
      throw new SkillError("REMOTE_FAILED", `${url.host} cannot be reached: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }

  async #open(
    url: URL,
    pinned: PinnedHost,
    { headers = {}, method = "GET", body }: FetchRequest,
    { isRedirected, signal }: { readonly isRedirected: boolean; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const authorization = this.#options.policy.authorization?.(pinned.host);
    // What the caller sends along is for the host it named, and for no other that this one names.
    const given = isRedirected ? withoutCredentials(headers) : headers;
    const { Agent: ProtocolAgent, request } = await loadProtocol(url);
    const agent = this.#agents.get(url.protocol) ?? new ProtocolAgent({ keepAlive: true });
    this.#agents.set(url.protocol, agent);
    const options: RequestOptions = {
      method,
      agent,
      headers: {
        accept: "*/*",
        "accept-encoding": "identity",
        "user-agent": "skillhold",
        ...(authorization === undefined ? {} : { authorization }),
        ...given,
        ...(body === undefined ? {} : { "content-length": String(body.length) }),
      },
      lookup: lookupOf(pinned),
      signal,
    };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asked = request(url, options, resolve);
    asked.on("error", reject);
    asked.end(body);
    this.#requests += 1;
    return await promise;
  }

  async #read(message: IncomingMessage, url: URL, maxBytes: number): Promise<Fetched> {
    const announced = Number(message.headers["content-length"] ?? 0);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      if (announced > maxBytes) throw tooLarge(url, maxBytes);
      for await (const chunk of message) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(url, maxBytes);
        chunks.push(chunk);
      }
    } finally {
      this.#bytes += bytes;
      if (!message.complete) message.destroy();
    }
    const headers = Object.entries(message.headers).map(([name, value]) => [name, String(value)]);
    return {
      status: message.statusCode ?? 0,
      headers: Object.fromEntries(headers),
      bytes: Buffer.concat(chunks),
      url: url.href,
    };
  }
}

interface Protocol {
  readonly Agent: new (options: { readonly keepAlive: boolean }) => Agent;
  request(url: URL, options: RequestOptions, onAnswer: (message: IncomingMessage) => void): ClientRequest;
}

/** Loaded at the first request, because Node takes long to load these modules and git does not need them. */
async function loadProtocol({ protocol }: URL): Promise<Protocol> {
  return protocol === "http:" ? await import("node:http") : await import("node:https");
}

const JSON_BYTES = 16 * 1024 * 1024;

export function parseJson(bytes: Uint8Array, url: string): unknown {
  try {
    return parseBoundedJson(bytes);
  } catch (error) {
    throw new SkillError("REMOTE_FAILED", `${shown(url)} did not answer with JSON.`, { cause: error });
  }
}

/** Answers with the address that was judged, whatever a name server says now. */
function lookupOf({ address, family }: PinnedHost): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie|proxy-authorization)$/i.test(name)),
  );
}

function refusal({ status, url, bytes }: Fetched): SkillError {
  const at = shown(url);
  const details = { status };
  if (status === 404 || status === 410)
    return new SkillError("PATH_NOT_FOUND", `${at} does not exist (status ${status}).`, {
      hint: "Check the spelling of the source and its version.",
      details,
    });
  if (status === 401 || status === 403)
    return new SkillError("UNAUTHENTICATED", `${at} refused access (status ${status}).`, {
      hint: "Give a token for this host, or use a source that is public.",
      details,
    });
  if (status === 429) return new SkillError("RATE_LIMITED", `${at} asks to wait.`, { details });
  const said = new TextDecoder()
    .decode(bytes.subarray(0, 200))
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return new SkillError("REMOTE_FAILED", `${at} answered with status ${status}${said && `: ${said}`}.`, {
    details,
  });
}

function tooLarge(url: URL, maxBytes: number): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `${shown(url.href)} is larger than ${maxBytes} bytes.`, {
    details: { max: maxBytes },
  });
}

function timedOut(url: URL, ms: number): SkillError {
  return new SkillError("TIMED_OUT", `${url.host} did not answer within ${ms} ms (remoteMs).`, {
    hint: "Try again, or raise the limit remoteMs.",
  });
}

function failed(url: URL, problem: string): SkillError {
  return new SkillError("REMOTE_FAILED", `${shown(url.href)} ${problem}.`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200) : "unknown";
}

/** An address for people: queries may hold secrets. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url === null ? JSON.stringify(address.slice(0, 80)) : `${url.origin}${url.pathname}`.slice(0, 300);
}
