import type { TokenRecord } from "@skillhold/core/token";
import type { GatewayContext } from "../gateway-context.ts";
import { type Principal, roleOf } from "../principal.ts";
import type { Authenticate, Credentials } from "./authenticate.ts";
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
): TokenAuthentication {
  const { registry, log, options } = context;
  const tokens = new TokenCache(registry, (error) => log({ level: "error", event: "watch.failed", error }));
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
): Promise<Principal | undefined> {
  const { headers, rejectUnknown } = request;
  const authorization = headers.get("authorization");
  if (authorization !== null) {
    const secret = /^Bearer ([\w-]{1,256})$/i.exec(authorization)?.[1];
    const token = secret === undefined ? undefined : await tokens.find(secret, "api", rejectUnknown);
    return token && principalOf(token, "api");
  }
  const secret = readSessionCookie(headers, isTls);
  const token = secret === undefined ? undefined : await tokens.find(secret, "session", rejectUnknown);
  if (secret === undefined || token === undefined) return undefined;
  const isOurs = request.isNavigable === true || isCsrfOf(headers.get(CSRF_HEADER) ?? "", secret, token.id);
  return isOurs ? principalOf(token, "session") : undefined;
}

function principalOf({ id, role, user, agent, expiresAt }: TokenRecord, kind: Principal["kind"]): Principal {
  return { role: roleOf({ role, agent }), user, agent, token: id, kind, expiresAt };
}
