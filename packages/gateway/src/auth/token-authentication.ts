import type { StoreVersion } from "../cache/store-version.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { Authenticate, Authenticated, Credentials } from "./authenticate.ts";
import { CSRF_HEADER, isCsrfOf } from "./csrf.ts";
import { readSessionCookie } from "./session-cookie.ts";
import { TokenCache } from "./token-cache.ts";

export interface TokenAuthentication {
  readonly authenticate: Authenticate;
  /** Makes that the store is asked again for every token: what it says may have changed. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

/** Finds who asks by the tokens of the registry: a program sends one, and a browser has one in a cookie. */
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

/** One who sends a token is judged by it alone: what does not count is not made up for by a cookie. */
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
  const found = secret === undefined ? undefined : await tokens.find(secret, "session", rejectUnknown);
  if (secret === undefined || found === undefined) return undefined;
  const given = headers.get(CSRF_HEADER) ?? "";
  return request.isNavigable === true || isCsrfOf(given, secret, found.principal.token) ? found : undefined;
}
