import { SkillError } from "@skillhold/protocol/error";
import type { ProvenIdentity } from "@skillhold/registry/identity";
import { Fetcher } from "@skillhold/registry/install";
import type * as OpenId from "openid-client";
import { z } from "zod";
import type { GatewayContext } from "../gateway-context.ts";
import type { SsoSettings } from "./sso-settings.ts";

/** What the browser must bring back from the provider. */
export const SsoAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The signed-in user who proves their identity again, and the session that the new one replaces. */
  confirm: z.object({ user: z.string(), session: z.string(), at: z.iso.datetime() }).optional(),
});
export type SsoAttempt = z.infer<typeof SsoAttempt>;

type SsoContext = Pick<GatewayContext, "registry" | "options" | "sso" | "log">;

/** The library is loaded on first use, because most gateways have no provider. */
const library = async () => await import("openid-client");

export function requireSso({ sso }: Pick<GatewayContext, "sso">): SsoSettings {
  if (sso !== undefined) return sso;
  throw new SkillError("NOT_READY", "This gateway has no single sign-on.", {
    hint: "Sign in with a link or a passkey.",
  });
}

/** The provider's address for one sign-in, with the attempt that its answer is checked against. */
export async function startSso(
  context: SsoContext,
  confirm?: SsoAttempt["confirm"],
): Promise<{ readonly url: string; readonly attempt: SsoAttempt }> {
  const sso = requireSso(context);
  const openid = await library();
  return await withProvider(context, async (provider) => {
    const attempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
      confirm,
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri(context),
      scope: [...new Set(["openid", ...sso.scopes])].join(" "),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
      // A confirmation must not be answered by a sign-in that the provider remembers.
      ...(confirm === undefined ? {} : { prompt: "login", max_age: "0" }),
    });
    rejectForeignScheme(url, sso);
    return { url: url.href, attempt };
  });
}

/** The identity in the provider's answer. Throws UNAUTHENTICATED for a wrong answer, FORBIDDEN for a person who may not enter. */
export async function finishSso(
  query: string,
  attempt: SsoAttempt,
  context: SsoContext,
): Promise<ProvenIdentity> {
  const sso = requireSso(context);
  const openid = await library();
  return await withProvider(context, async (provider) => {
    const answer = new URL(redirectUri(context));
    answer.search = query;
    const tokens = await openid.authorizationCodeGrant(provider, answer, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw wrongAnswer();
    if (attempt.confirm !== undefined) rejectOldProof(claims.auth_time, attempt.confirm.at);
    const needsMore = !("email" in claims) || !(sso.groupsClaim in claims);
    const more = needsMore
      ? await openid.fetchUserInfo(provider, tokens.access_token, claims.sub).catch(() => undefined)
      : undefined;
    return admitIdentity({ ...more, ...claims }, sso);
  });
}

/** The most that the clocks of the gateway and the provider may differ. */
const CLOCK_MS = 60_000;

/** A provider may ignore `prompt` and `max_age`, so only the time of the sign-in counts. */
function rejectOldProof(authTime: unknown, startedAt: string): void {
  if (typeof authTime === "number" && authTime * 1000 >= Date.parse(startedAt) - CLOCK_MS) return;
  throw new SkillError("UNAUTHENTICATED", "The provider did not ask you to sign in again.", {
    hint: "Sign out at the provider and start again, or use a passkey.",
  });
}

/** The provider's address that ends its own session; undefined if it has none or does not answer. */
export async function ssoSignOutUrl(context: SsoContext): Promise<string | undefined> {
  if (context.sso?.hasSignOut !== true) return undefined;
  const openid = await library();
  try {
    return await withProvider(context, async (provider) => {
      if (provider.serverMetadata().end_session_endpoint === undefined) return undefined;
      const back = `${new URL(redirectUri(context)).origin}/`;
      const url = openid.buildEndSessionUrl(provider, { post_logout_redirect_uri: back });
      rejectForeignScheme(url, requireSso(context));
      return url.href;
    });
  } catch (error) {
    // The session at the gateway must end even while the provider is down.
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

const Claims = z.looseObject({
  iss: z.string().min(1).max(2048),
  sub: z.string().min(1).max(255),
  email: z.email().max(254).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** Applies the rules of the settings to verified claims. */
export function admitIdentity(claims: Readonly<Record<string, unknown>>, sso: SsoSettings): ProvenIdentity {
  const { iss: issuer, sub: subject, email: named, email_verified: isVerified } = Claims.parse(claims);
  const email = isVerified === true ? named?.toLowerCase() : undefined;
  const domain = email?.slice(email.lastIndexOf("@") + 1);
  if (sso.domains.length > 0 && (domain === undefined || !sso.domains.includes(domain)))
    throw notAllowed("The email address is not of an allowed domain, or the provider did not verify it.");
  const groups = z.array(z.string()).catch([]).parse(claims[sso.groupsClaim]);
  if (sso.groups.length > 0 && !sso.groups.some((group) => groups.includes(group)))
    throw notAllowed("You are in none of the groups that may sign in.");
  const mapped = sso.roles.find(({ group }) => groups.includes(group))?.role;
  // A person who left a group must not keep its role.
  const role = sso.roles.length === 0 ? undefined : (mapped ?? sso.role);
  return { issuer, subject, email, role };
}

/** Contract: registered at the provider. */
function redirectUri({ options }: Pick<SsoContext, "options">): string {
  if (options.publicUrl === undefined)
    throw new SkillError("NOT_READY", "Single sign-on needs the gateway's public address.");
  return `${options.publicUrl}/sign-in`;
}

/**
 * Discovers the provider and works with it. Every request goes through the fetcher: the issuer's own host may be private,
 * because the operator named it, and the hosts in its documents may not.
 */
async function withProvider<T>(
  context: SsoContext,
  work: (provider: OpenId.Configuration) => Promise<T>,
): Promise<T> {
  const sso = requireSso(context);
  const openid = await library();
  const issuer = new URL(sso.issuer);
  const host = issuer.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const isPlain = issuer.protocol === "http:";
  const fetcher = new Fetcher({
    resolve: sso.resolve,
    policy: {
      isPrivateAllowed: (other) => other === host,
      isPlainAllowed: (other) => isPlain && other === host,
    },
    limits: context.registry.limits,
  });
  try {
    const provider = await openid.discovery(
      issuer,
      sso.clientId,
      undefined,
      sso.clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(sso.clientSecret),
      {
        [openid.customFetch]: (url, init) => fetchBounded(fetcher, url, init),
        execute: isPlain ? [openid.allowInsecureRequests] : [],
        timeout: PROVIDER_SECONDS,
      },
    );
    return await work(provider);
  } catch (error) {
    throw failureOf(error, context);
  } finally {
    fetcher.close();
  }
}

const PROVIDER_SECONDS = 20;
const MAX_BYTES = 1024 * 1024;

async function fetchBounded(
  fetcher: Fetcher,
  url: string,
  { method, headers, body }: OpenId.CustomFetchOptions,
): Promise<Response> {
  const isPost = method === "POST";
  if (!isPost && method !== "GET") throw new SkillError("REMOTE_FAILED", `The method ${method} is not used.`);
  const bytes = isPost ? new TextEncoder().encode(String(body ?? "")) : undefined;
  const fetched = await fetcher.fetch(url, {
    method,
    headers: Object.fromEntries(new Headers(headers)),
    maxBytes: MAX_BYTES,
    redirects: 0,
    accepts: [400, 401, 403],
    ...(bytes === undefined ? {} : { body: bytes }),
  });
  return new Response(Uint8Array.from(fetched.bytes), { status: fetched.status, headers: fetched.headers });
}

/** The library wraps the errors of the fetcher. */
function failureOf(error: unknown, { log, sso }: SsoContext): SkillError {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof SkillError) return cause;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  log({ level: "warning", event: "sso.refused", fields: { issuer: sso?.issuer ?? "", code } });
  return wrongAnswer();
}

function rejectForeignScheme(url: URL, { issuer }: SsoSettings): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && issuer.startsWith("http:"))) return;
  throw new SkillError("REMOTE_FAILED", "The provider's address is not an https address.");
}

function wrongAnswer(): SkillError {
  return new SkillError("UNAUTHENTICATED", "The provider's answer was not accepted.", {
    hint: "Start again. If it fails again, sign in with a link and check the provider's settings.",
  });
}

function notAllowed(message: string): SkillError {
  return new SkillError("FORBIDDEN", message, { hint: "Ask an administrator." });
}
