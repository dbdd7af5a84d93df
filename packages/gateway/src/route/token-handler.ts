import { SkillError } from "@skillhold/protocol/error";
import {
  getToken,
  type IssuedToken,
  issueToken,
  listSignIns,
  listTokenPage,
  renewSession,
  revokeToken,
  type TokenRecord,
  useSignIn,
} from "@skillhold/registry/token";
import { z } from "zod";
import { csrfOf } from "../auth/csrf.ts";
import { isAdministrator, isPerson, type Principal, principalActor } from "../auth/principal.ts";
import { endedCookie, readSessionCookie, sessionCookie } from "../auth/session-cookie.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import { readPage } from "./page.ts";

const TokenPosition = z.object({ createdAt: z.iso.datetime(), id: z.string() });

export const tokenHandlers: Pick<
  Handlers,
  | "listTokens"
  | "issueToken"
  | "getToken"
  | "revokeToken"
  | "whoAmI"
  | "issueSignIn"
  | "listSignIns"
  | "signIn"
  | "signOut"
> = {
  listTokens: async ({ query, principal }, { registry }) => {
    rejectAgent(principal);
    const of = isAdministrator(principal) ? undefined : principal.user;
    const { rows, next } = await readPage(query, {
      position: TokenPosition,
      positionOf: ({ createdAt, id }: TokenRecord) => ({ createdAt, id }),
      list: (after, limit) => listTokenPage({ after, limit, of }, registry),
    });
    return { data: { tokens: rows.map(viewOf), ...next } };
  },
  issueToken: async ({ body, principal }, { registry }) => {
    rejectProgram(principal);
    const { token, secret } = await issueToken(
      definedFields(body),
      { by: principalActor(principal) },
      registry,
    );
    return { data: { token: viewOf(token), secret }, headers: uncached };
  },
  getToken: async ({ params, principal }, { registry }) => {
    rejectAgent(principal);
    return { data: viewOf(await getToken(params.token, principalActor(principal), registry)) };
  },
  revokeToken: async ({ params, principal }, { registry }) => {
    return { data: viewOf(await revokeToken(params.token, { by: principalActor(principal) }, registry)) };
  },
  whoAmI: async ({ principal, headers }, { registry, options }) => {
    const { user, agent, role, token, kind } = principal;
    const secret = kind === "session" ? readSessionCookie(headers, options.isTls) : undefined;
    if (secret === undefined)
      return { data: { user, agent, role, expiresAt: principal.expiresAt, token }, headers: uncached };
    const expiresAt = await renewSession({ id: token, expiresAt: principal.expiresAt }, registry);
    // The cookie would otherwise end before the session.
    const renewed =
      expiresAt === principal.expiresAt
        ? {}
        : { "set-cookie": cookieOf({ secret, expiresAt }, headers, { registry, options }) };
    const csrf = csrfOf(secret, token);
    return { data: { user, agent, role, expiresAt, token, csrf }, headers: { ...uncached, ...renewed } };
  },
  issueSignIn: async ({ body: { user, role }, principal }, { registry }) => {
    const spec = { kind: "sign-in", name: "sign-in", user, role } as const;
    const { token, secret } = await issueToken(spec, { by: principalActor(principal) }, registry);
    const { expiresAt } = token;
    return { data: { code: secret, user: token.user, role, expiresAt }, headers: uncached };
  },
  listSignIns: async (_, { registry }) => {
    const codes = (await listSignIns(registry)).map(
      ({ id, user, role, createdBy, createdAt, expiresAt }) => ({
        ...{ id, user, role, createdBy, createdAt, expiresAt },
      }),
    );
    return { data: { codes } };
  },
  signIn: async ({ body, headers }, { registry, options }) => {
    return signedIn(await useSignIn(body.code, registry), headers, { registry, options });
  },
  signOut: async ({ principal, headers }, { registry, options }) => {
    const { kind, token, user, role } = principal;
    if (kind !== "session")
      throw new SkillError("USAGE", "Only browser sessions can sign out.", {
        hint: "Ask an administrator to revoke the token.",
      });
    // An agent may end its own session, so the actor has no agent here.
    await revokeToken(token, { by: { user, role } }, registry);
    return { headers: { "set-cookie": endedCookie(headers, options.isTls) } };
  },
};

/** An agent may not learn about the other tokens of its user. */
function rejectAgent(principal: Principal): void {
  if (isPerson(principal)) return;
  throw new SkillError("FORBIDDEN", "Tokens of agents cannot list tokens.", {
    hint: "Sign in to the console as a person.",
  });
}

/** A leaked token of a program must not issue tokens that outlive its revocation. */
function rejectProgram(principal: Principal): void {
  if (isAdministrator(principal) || principal.kind === "session") return;
  throw new SkillError("FORBIDDEN", "Only administrators can issue tokens with an API token.", {
    hint: "Sign in to the console and create the token there.",
  });
}

/** A response with a secret must not be cached. */
export const uncached = { "cache-control": "no-store" } as const;

/** The response that starts a browser session. */
export function signedIn(
  { token, secret }: IssuedToken,
  headers: Headers,
  context: Pick<GatewayContext, "registry" | "options">,
) {
  const { user, role, expiresAt, id } = token;
  const cookie = cookieOf({ secret, expiresAt }, headers, context);
  const csrf = csrfOf(secret, id);
  return { data: { user, role, expiresAt, csrf }, headers: { ...uncached, "set-cookie": cookie } };
}

function cookieOf(
  { secret, expiresAt }: { readonly secret: string; readonly expiresAt: string },
  headers: Headers,
  { registry, options }: Pick<GatewayContext, "registry" | "options">,
): string {
  const seconds = (Date.parse(expiresAt) - registry.clock.now().getTime()) / 1000;
  return sessionCookie(secret, Math.max(0, Math.floor(seconds)), headers, options.isTls);
}

/** Sign-in codes are not listed. One that is revoked by id is shown as an API token. */
function viewOf({ kind, ...token }: TokenRecord) {
  return { ...token, kind: kind === "session" ? kind : ("api" as const) };
}
