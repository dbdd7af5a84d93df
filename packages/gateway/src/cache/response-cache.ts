import type { Clock } from "@skillhold/core/port";
import type { Role } from "@skillhold/protocol";
import type { Operation } from "@skillhold/protocol/http";
import { LRUCache } from "lru-cache";
import { shortHash } from "../bytes.ts";
import type { ViewVersion } from "./view-version.ts";

/** A serialized response body. */
export interface CachedResponse<Extra = undefined> {
  readonly json: Uint8Array<ArrayBuffer> | string;
  readonly etag: string;
  /** Data for the handler that is not sent. */
  readonly extra: Extra;
}

export interface RenderedResponse<Extra = undefined> {
  readonly data: unknown;
  /** The hash of the body when it is absent. */
  readonly etag?: string;
  readonly extra: Extra;
  /** False when the response can change without a new view version. */
  readonly isCacheable?: boolean;
}

/** The identity that responses are cached for. */
export interface CacheOwner {
  readonly role: Role;
  readonly user: string;
  readonly agent: string | undefined;
}

/** Everything that a response depends on, except the view version. */
export interface CacheRequest {
  readonly operation: Operation | "discovery";
  /** Undefined for a response that is the same for everyone and public. */
  readonly principal: CacheOwner | undefined;
  readonly params?: object;
  readonly query?: object;
  /** Params and query as one text, when it was already computed. */
  readonly paramsKey?: string | undefined;
  /** The store's version, read after the request arrived. */
  readonly storeVersion?: number | undefined;
  /** Whether to query the store for changes when its notification may arrive later. */
  readonly isStrict?: boolean;
}

export interface CacheBounds {
  readonly answers: number;
  readonly bytes: number;
  readonly ms: number;
}

const defaultBounds: CacheBounds = { answers: 2000, bytes: 64 * 1024 * 1024, ms: 5 * 60_000 };
/** The largest share of the cache that one response may use. */
const MAX_SHARE = 1 / 8;
const MAX_TEXT_LENGTH = 4 * 1024;

interface Rendering<Extra> {
  readonly response: CachedResponse<Extra>;
  readonly isCacheable: boolean;
}

interface CacheEntry {
  readonly response: CachedResponse<unknown>;
  readonly cachedAt: number;
}

/**
 * Response bodies, cached per user, role and agent. An entry is valid while the view version is the one that it was
 * rendered for.
 */
export class ResponseCache {
  readonly #views: Pick<ViewVersion, "current">;
  readonly #clock: Clock;
  readonly #bounds: CacheBounds;
  readonly #entries: LRUCache<string, CacheEntry>;
  readonly #rendering = new Map<string, Promise<Rendering<unknown>>>();
  #version: number | undefined;

  constructor(views: Pick<ViewVersion, "current">, clock: Clock, bounds: Partial<CacheBounds> = {}) {
    this.#views = views;
    this.#clock = clock;
    this.#bounds = { ...defaultBounds, ...bounds };
    const { answers: max, bytes: maxSize } = this.#bounds;
    this.#entries = new LRUCache({ max, maxSize, sizeCalculation: (entry, key) => costOf(key, entry) });
  }

  /** Returns the cached response or renders a new one. Contract: a cacheable response depends on its request and the version alone. */
  async get<Extra>(
    request: CacheRequest,
    render: (version: number) => Promise<RenderedResponse<Extra>>,
  ): Promise<CachedResponse<Extra>> {
    const version = await this.#views.current(request.isStrict, request.storeVersion);
    this.#useVersion(version);
    const key = keyOf(request);
    const other = this.#rendering.get(key);
    const cached = this.#find(key) ?? (other && (await share(other)));
    // All entries of a key come from one operation, and each operation has one type of extra.
    if (cached !== undefined) return cached as CachedResponse<Extra>;
    const rendering = this.#render(key, version, render).finally(() => {
      if (this.#rendering.get(key) === rendering) this.#rendering.delete(key);
    });
    // While this call waited for another one, a third may have started to render.
    if (version === this.#version && !this.#rendering.has(key)) this.#rendering.set(key, rendering);
    return (await rendering).response;
  }

  /** Drops all entries of an earlier version. */
  #useVersion(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#entries.clear();
    this.#rendering.clear();
  }

  #find(key: string): CachedResponse<unknown> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const age = this.#clock.now().getTime() - entry.cachedAt;
    if (age < 0 || age >= this.#bounds.ms) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry.response;
  }

  async #render<Extra>(
    key: string,
    version: number,
    render: (version: number) => Promise<RenderedResponse<Extra>>,
  ): Promise<Rendering<Extra>> {
    const { data, etag, extra, isCacheable = true } = await render(version);
    const text = JSON.stringify(data);
    // The server writes a short text together with the headers; a long one is encoded once.
    const json = text.length <= MAX_TEXT_LENGTH ? text : new TextEncoder().encode(text);
    const response = { json, etag: etag ?? shortHash(json), extra };
    if (isCacheable && version === this.#version && json.length <= this.#bounds.bytes * MAX_SHARE)
      this.#entries.set(key, { response, cachedAt: this.#clock.now().getTime() });
    return { response, isCacheable };
  }
}

/**
 * Shares a rendering that another request started. It started before this request arrived, so an error, or a response
 * that the version does not cover, may be out of date and is not shared.
 */
async function share(rendering: Promise<Rendering<unknown>>): Promise<CachedResponse<unknown> | undefined> {
  const rendered = await rendering.catch(() => undefined);
  return rendered?.isCacheable === true ? rendered.response : undefined;
}

/** Each part is JSON without line breaks, so two requests never share a key. */
function keyOf({ operation, principal, params = {}, query = {}, paramsKey }: CacheRequest): string {
  const owner = principal === undefined ? null : [principal.role, principal.user, principal.agent ?? null];
  return `${operation}\n${JSON.stringify(owner)}\n${paramsKey ?? JSON.stringify([params, query])}`;
}

function costOf(key: string, { response }: CacheEntry): number {
  const { json } = response;
  return (typeof json === "string" ? 2 : 1) * json.length + 2 * key.length;
}
