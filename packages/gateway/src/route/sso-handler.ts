import { SkillError } from "@skillhold/protocol/error";
import { beginAttempt, takeAttempt, useIdentity } from "@skillhold/registry/identity";
import { readSessionCookie } from "../auth/session-cookie.ts";
import { finishSso, requireSso, SsoAttempt, startSso } from "../auth/sso.ts";
import type { Handlers } from "../http/handler.ts";
import { attemptHeaders } from "./passkey-handler.ts";
import { signedIn } from "./token-handler.ts";

export const ssoHandlers: Pick<Handlers, "startSso" | "signInWithSso"> = {
  startSso: async ({ headers }, context) => {
    const { registry, options } = context;
    const { url, attempt } = await startSso(context);
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
    return signedIn(await useIdentity(identity, { isOpen, role }, registry), headers, { registry, options });
  },
};
