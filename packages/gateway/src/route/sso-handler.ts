import { SkillError } from "@skillhold/protocol/error";
import { beginAttempt, takeAttempt, useIdentity } from "@skillhold/registry/identity";
import type { Principal } from "../auth/principal.ts";
import { readSessionCookie } from "../auth/session-cookie.ts";
import { finishSso, requireSso, SsoAttempt, ssoSignOutUrl, startSso } from "../auth/sso.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { definedFields } from "../http/defined-fields.ts";
import type { Handlers } from "../http/handler.ts";
import { attemptHeaders } from "./passkey-handler.ts";
import { signedIn } from "./token-handler.ts";

export const ssoHandlers: Pick<Handlers, "startSso" | "signInWithSso" | "startSsoSignOut"> = {
  startSso: async ({ body, principal, headers }, context) => {
    const { registry, options } = context;
    const { url, attempt } = await startSso(
      context,
      body.confirm === true ? confirmOf(principal, context) : undefined,
    );
    const secret = await beginAttempt("sso", attempt, registry);
    return { data: { url }, headers: attemptHeaders(secret, headers, { registry, options }) };
  },
  signInWithSso: async ({ body: { query }, headers }, context) => {
    const { registry, options } = context;
    const { isOpen, role } = requireSso(context);
    const secret = readSessionCookie(headers, options.isTls, "sign-in");
    const attempt = await takeAttempt(secret, "sso", SsoAttempt, registry);
    if (attempt === undefined)
      throw new SkillError(
        "UNAUTHENTICATED",
        "This attempt was used, has expired or belongs to another browser.",
        {
          hint: "Start again.",
        },
      );
    const identity = await finishSso(query, attempt, context);
    const { confirm } = attempt;
    const session = await useIdentity(identity, { isOpen, role, confirm }, registry);
    const { data, headers: sent } = signedIn(session, headers, { registry, options });
    return { data: { ...data, isConfirmation: confirm !== undefined }, headers: sent };
  },
  startSsoSignOut: async ({ principal }, context) => {
    const token = await context.registry.store.findToken(principal.token);
    const isSso = principal.kind === "session" && token?.name === "sso";
    return { data: definedFields({ url: isSso ? await ssoSignOutUrl(context) : undefined }) };
  },
};

function confirmOf(
  principal: Principal | undefined,
  { registry }: Pick<GatewayContext, "registry">,
): SsoAttempt["confirm"] {
  if (principal?.kind === "session")
    return { user: principal.user, session: principal.token, at: registry.clock.now().toISOString() };
  throw new SkillError("UNAUTHENTICATED", "The browser is not signed in.", { hint: "Sign in first." });
}
