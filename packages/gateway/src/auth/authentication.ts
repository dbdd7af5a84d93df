import { hash } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "@skillhold/registry/record";
import { authenticateToken, type TokenRecord } from "@skillhold/registry/token";
import { LRUCache } from "lru-cache";
import type { StoreVersion } from "../cache/store-version.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { CSRF_HEADER, isCsrfOf } from "./csrf.ts";
import { effectiveRole, type Principal } from "./principal.ts";
import { readSessionCookie } from "./session-cookie.ts";

export interface Credentials {
  readonly method: string;
  readonly headers: Headers;
  /** Whether the session cookie is enough when a browser opens the URL. Only for responses without user data. */
  readonly isNavigable?: boolean;
  /** Called before the store is queried for a token that was never valid here; throws RATE_LIMITED. */
  readonly rejectUnknown?: () => void;
}

export interface Authenticated {
  readonly principal: Principal;
  /** The store's version, read after the request arrived; undefined when the engine has no version. */
  readonly storeVersion: number | undefined;
}

/** Finds the principal of a request; undefined without a valid token. */
export type Authenticate = (request: Credentials) => Promise<Authenticated | undefined>;

export interface TokenAuthentication {
  readonly authenticate: Authenticate;
  /** Clears the token cache. Call it after a change to tokens or agents. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** Authenticates by the registry's tokens: programs send one in a header, browsers in a cookie. */
export function tokenAuthentication(
  context: Pick<GatewayContext, "registry" | "log" | "options">,
  version: StoreVersion,
): TokenAuthentication {
  const { registry, log, options } = context;
  const onError = (error: unknown) => log({ level: "error", event: "watch.failed", error });
  const tokens = new TokenCache(registry, { version, onError });
  return {
    authenticate: (request) => findPrincipal(request, tokens, options.isTls),
    forget: () => tokens.forget(),
    close: () => tokens.close(),
  };
}

/** The 401 error. A client that sent a token does not learn why the token is invalid. */
export function unauthenticated(hasToken: boolean): SkillError {
  const message = hasToken ? "The token is unknown, expired or revoked." : "The request has no token.";
  return new SkillError("UNAUTHENTICATED", message);
}

/** A request with an Authorization header is judged by that header alone, even when it also has a cookie. */
async function findPrincipal(
  request: Credentials,
  tokens: TokenCache,
  isTls: boolean,
): Promise<Authenticated | undefined> {
  const { headers, rejectUnknown } = request;
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const secret = /^Bearer ([\w-]{1,256})$/i.exec(authorization)?.[1];
    return secret === undefined ? undefined : await tokens.find(secret, "api", rejectUnknown);
  }
  const secret = readSessionCookie(headers, isTls);
  const session = secret === undefined ? undefined : await tokens.find(secret, "session", rejectUnknown);
  if (secret === undefined || session === undefined) return undefined;
  const csrf = headers.get(CSRF_HEADER) ?? "";
  return request.isNavigable === true || isCsrfOf(csrf, secret, session.principal.token)
    ? session
    : undefined;
}

interface CachedToken {
  readonly principal: Principal;
  /** When the entry expires. */
  readonly until: number;
}

const CACHE_MS = 5000;
const MAX_TOKENS = 10_000;

interface TokenCachePorts {
  readonly version: Pick<StoreVersion, "current">;
  /** Called when the store cannot report commits. */
  readonly onError: (error: unknown) => void;
}

/**
 * Principals of recently used tokens, keyed by the hash of the secret. The cache is cleared after every commit: at once
 * when the store reports its version, otherwise when it reports the commit. Entries expire after a few seconds.
 */
class TokenCache {
  readonly #cached = new LRUCache<string, CachedToken>({ max: MAX_TOKENS });
  /** Tokens that were valid at some time, kept across commits. */
  readonly #onceValid = new LRUCache<string, true>({ max: MAX_TOKENS });
  readonly #context: RegistryContext;
  readonly #storeVersion: TokenCachePorts["version"];
  readonly #watch: Promise<(() => Promise<void>) | undefined>;
  #isWatched = false;
  #version: number | undefined;
  /** Increases each time the cache is cleared. */
  #generation = 0;

  constructor(context: RegistryContext, { version, onError }: TokenCachePorts) {
    this.#context = context;
    this.#storeVersion = version;
    this.#watch = this.#startWatch(onError);
  }

  /** The principal of the token, if the token is valid now. */
  async find(
    secret: string,
    kind: Principal["kind"],
    rejectUnknown = () => {},
  ): Promise<Authenticated | undefined> {
    const key = `${kind} ${hash("sha256", secret, "hex")}`;
    if (!this.#cached.has(key) && this.#onceValid.get(key) === undefined) rejectUnknown();
    const storeVersion = await this.#storeVersion.current();
    this.#checkVersion(storeVersion);
    const now = this.#context.clock.now().getTime();
    const cached = this.#cached.get(key);
    const isExpired = cached === undefined || now >= cached.until;
    const principal = isExpired ? await this.#load(secret, kind, key) : cached.principal;
    return principal && { principal, storeVersion };
  }

  forget(): void {
    this.#generation += 1;
    this.#cached.clear();
  }

  async close(): Promise<void> {
    const stop = await this.#watch;
    this.#isWatched = false;
    this.forget();
    await stop?.();
  }

  async #startWatch(onError: (error: unknown) => void): Promise<(() => Promise<void>) | undefined> {
    try {
      const stop = await this.#context.store.onCommit(() => this.forget());
      this.#isWatched = true;
      return stop;
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  #checkVersion(version: number | undefined): void {
    if (version === this.#version) return;
    this.#version = version;
    this.forget();
  }

  async #load(secret: string, kind: Principal["kind"], key: string): Promise<Principal | undefined> {
    const now = this.#context.clock.now().getTime();
    const generation = this.#generation;
    const token = await authenticateToken(secret, kind, this.#context);
    if (token === undefined) return undefined;
    this.#onceValid.set(key, true);
    const principal = principalOf(token, kind);
    // A commit during the query may have revoked the token.
    if (generation === this.#generation) this.#keep(key, principal, now);
    return principal;
  }

  /** Caches the principal only while the store reports commits. */
  #keep(key: string, principal: Principal, now: number): void {
    if (!this.#isWatched) return;
    this.#cached.set(key, { principal, until: Math.min(now + CACHE_MS, Date.parse(principal.expiresAt)) });
  }
}

function principalOf(token: TokenRecord, kind: Principal["kind"]): Principal {
  const { id, role, user, agent, expiresAt, createdAt: issuedAt } = token;
  return { role: effectiveRole({ role, agent }), user, agent, token: id, kind, expiresAt, issuedAt };
}
