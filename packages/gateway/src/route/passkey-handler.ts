import { SkillError } from "@skillhold/protocol/error";
import {
  addPasskey,
  beginAttempt,
  changeUser,
  removePasskey,
  takeAttempt,
  usePasskey,
} from "@skillhold/registry/identity";
import type { PasskeyRecord } from "@skillhold/registry/record";
import { z } from "zod";
import { checkAssertion, checkCreation, creationOptions, requestOptions } from "../auth/passkey-check.ts";
import { isAdministrator, isPerson, type Principal, principalActor } from "../auth/principal.ts";
import { relyingParty, requireRelyingParty } from "../auth/relying-party.ts";
import { readSessionCookie, sessionCookie } from "../auth/session-cookie.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import { signedIn, uncached } from "./token-handler.ts";

const Added = z.object({ challenge: z.string(), user: z.string() });
/** `user` is set when only their own passkeys count. */
const Used = z.object({ challenge: z.string(), user: z.string().optional() });

export const passkeyHandlers: Pick<
  Handlers,
  | "listPasskeys"
  | "startPasskey"
  | "addPasskey"
  | "removePasskey"
  | "listSignInMethods"
  | "startPasskeySignIn"
  | "signInWithPasskey"
  | "changeUser"
> = {
  listPasskeys: async ({ query: { user }, principal }, { registry }) => {
    rejectAgent(principal);
    if (user !== undefined && user !== principal.user && !isAdministrator(principal))
      throw new SkillError("FORBIDDEN", "Only administrators can list the passkeys of others.", {
        hint: "Leave out `user`.",
      });
    const passkeys = await registry.store.listPasskeys(user ?? principal.user);
    return { data: { passkeys: passkeys.map(viewOf) } };
  },
  startPasskey: async ({ principal, headers }, { registry, options }) => {
    rejectProgram(principal);
    const party = requireRelyingParty(options);
    const { user } = principal;
    const existing = await registry.store.listPasskeys(user);
    const created = await creationOptions(user, existing, party);
    const secret = await beginAttempt("passkey-add", { challenge: created.challenge, user }, registry);
    return {
      data: { options: jsonOf(created) },
      headers: attemptHeaders(secret, headers, { registry, options }),
    };
  },
  addPasskey: async ({ body: { name, credential }, principal, headers }, { registry, options }) => {
    rejectProgram(principal);
    const party = requireRelyingParty(options);
    const secret = readSessionCookie(headers, options.isTls, "sign-in");
    const attempt = await takeAttempt(secret, "passkey-add", Added, registry);
    if (attempt?.user !== principal.user) throw lapsed("USAGE");
    const checked = await checkCreation(credential, attempt.challenge, party);
    if (checked === undefined)
      throw new SkillError("USAGE", "The passkey cannot be verified.", {
        hint: `Add it at ${party.origin}, with an authenticator that verifies you.`,
      });
    return {
      data: viewOf(await addPasskey({ name, ...checked }, { by: principalActor(principal) }, registry)),
    };
  },
  removePasskey: async ({ params, principal }, { registry }) => {
    rejectAgent(principal);
    const by = principalActor(principal);
    return { data: viewOf(await removePasskey(params.passkey, { by }, registry)) };
  },
  listSignInMethods: async (_, { options, sso }) => ({
    data: definedFields({ passkeyOrigin: relyingParty(options)?.origin, sso: sso?.label }),
  }),
  startPasskeySignIn: async ({ body: { confirm = false }, principal, headers }, { registry, options }) => {
    const party = requireRelyingParty(options);
    const user = confirm ? requireUser(principal) : undefined;
    const allowed = user === undefined ? undefined : await registry.store.listPasskeys(user);
    if (allowed?.length === 0)
      throw new SkillError("NOT_READY", "You have no passkey.", { hint: "Sign in again with a link." });
    const requested = await requestOptions(party, allowed);
    const secret = await beginAttempt("passkey-use", { challenge: requested.challenge, user }, registry);
    return {
      data: { options: jsonOf(requested) },
      headers: attemptHeaders(secret, headers, { registry, options }),
    };
  },
  signInWithPasskey: async ({ body: { credential }, principal, headers }, { registry, options, log }) => {
    const party = requireRelyingParty(options);
    const secret = readSessionCookie(headers, options.isTls, "sign-in");
    const attempt = await takeAttempt(secret, "passkey-use", Used, registry);
    if (attempt === undefined) throw lapsed("UNAUTHENTICATED");
    const passkey = await registry.store.findPasskey(credential.id);
    if (passkey?.credential !== credential.id) throw refused();
    if (attempt.user !== undefined && attempt.user !== passkey.user) throw refused();
    const counter = await checkAssertion(credential, passkey, attempt.challenge, party);
    const replaces = principal?.kind === "session" ? principal.token : undefined;
    const session =
      counter === undefined
        ? undefined
        : await usePasskey({ credential: passkey.credential, counter, replaces }, registry);
    if (session !== undefined) return signedIn(session, headers, { registry, options });
    log({ level: "warning", event: "passkey.refused", fields: { passkey: passkey.id, user: passkey.user } });
    throw refused();
  },
  changeUser: async ({ params, body, principal }, { registry }) => {
    const by = principalActor(principal);
    const { name, role, inactiveSince } = await changeUser(params.user, body, { by }, registry);
    return { data: { name, role, isActive: inactiveSince === undefined } };
  },
};

function viewOf({ id, user, name, createdAt, lastUsedAt }: PasskeyRecord) {
  return { id, user, name, createdAt, lastUsedAt };
}

/** The options as plain JSON, without undefined fields. */
function jsonOf(options: object): Record<string, z.core.util.JSONType> {
  return JSON.parse(JSON.stringify(options));
}

/** Binds the attempt to the browser. */
export function attemptHeaders(
  secret: string,
  headers: Headers,
  { registry, options }: Pick<GatewayContext, "registry" | "options">,
) {
  const seconds = Math.ceil(registry.limits.signInAttemptMs / 1000);
  return { ...uncached, "set-cookie": sessionCookie(secret, seconds, headers, options.isTls, "sign-in") };
}

function rejectAgent(principal: Principal): void {
  if (isPerson(principal)) return;
  throw new SkillError("FORBIDDEN", "Agents have no passkeys.", { hint: "Sign in to the console." });
}

/** A leaked token must not add a way to sign in that outlives its revocation. */
function rejectProgram(principal: Principal): void {
  if (isPerson(principal) && principal.kind === "session") return;
  throw new SkillError("FORBIDDEN", "Passkeys are added in a browser.", { hint: "Sign in to the console." });
}

function requireUser(principal: Principal | undefined): string {
  if (principal?.kind === "session") return principal.user;
  throw new SkillError("UNAUTHENTICATED", "The browser is not signed in.", { hint: "Sign in first." });
}

/** The same for every cause, so that an answer reveals no accounts. */
function refused(): SkillError {
  return new SkillError("UNAUTHENTICATED", "The passkey was not accepted.", {
    hint: "Use another passkey, or ask an administrator for a sign-in link.",
  });
}

function lapsed(code: "USAGE" | "UNAUTHENTICATED"): SkillError {
  return new SkillError(code, "This attempt was used, has expired or belongs to another browser.", {
    hint: "Start again.",
  });
}
