import { z } from "zod";
import { Role, SignInRole } from "../../role.ts";
import { At, Name, nextCursor, paging } from "../field.ts";
import { admins, everyone, people, route } from "../route.ts";

export const TokenView = z.object({
  id: z.string(),
  kind: z.enum(["api", "session"]).describe("For a program, or for a browser session."),
  name: z.string(),
  role: Role,
  user: z.string(),
  agent: z.string().optional(),
  createdBy: z.string(),
  createdAt: At,
  expiresAt: At,
  revokedAt: At.optional(),
  lastUsedAt: At.optional(),
});

export const tokenRoutes = {
  listTokens: route({
    method: "GET",
    path: "/v1/tokens",
    tag: "tokens",
    summary: "List tokens, oldest first, without their secrets; administrators see those of all users",
    roles: people,
    query: z.strictObject(paging),
    answer: z.object({ tokens: z.array(TokenView).readonly(), nextCursor }),
    condition: "read",
  }),
  issueToken: route({
    method: "POST",
    path: "/v1/tokens",
    tag: "tokens",
    summary:
      "Issue a token; its secret is shown once. Without `user`, a token of an agent acts for no person",
    roles: people,
    body: z.strictObject({
      name: Name,
      role: Role,
      user: Name.optional(),
      agent: Name.optional(),
      expiresInMs: z.int().min(60_000).optional(),
    }),
    answer: z.object({ token: TokenView, secret: z.string() }),
    status: 201,
    isSensitive: true,
    errors: ["AGENT_NOT_FOUND", "POLICY_DENIED", "SIGN_IN_REQUIRED"],
  }),
  getToken: route({
    method: "GET",
    path: "/v1/tokens/{token}",
    tag: "tokens",
    summary: "Show a token without its secret",
    roles: people,
    params: z.strictObject({ token: z.uuid() }),
    answer: TokenView,
    condition: "read",
    errors: ["TOKEN_NOT_FOUND"],
  }),
  revokeToken: route({
    method: "DELETE",
    path: "/v1/tokens/{token}",
    tag: "tokens",
    summary: "Revoke a token; it stops working at once",
    roles: people,
    params: z.strictObject({ token: z.uuid() }),
    answer: TokenView,
    errors: ["TOKEN_NOT_FOUND", "POLICY_DENIED"],
  }),
  whoAmI: route({
    method: "GET",
    path: "/v1/me",
    tag: "tokens",
    summary: "Show your identity at the gateway",
    roles: everyone,
    answer: z.object({
      user: z.string(),
      agent: z.string().optional(),
      role: Role,
      expiresAt: At,
      token: z.string().describe("The id of the token."),
      csrf: z
        .string()
        .optional()
        .describe("For a browser: the required value of `X-Skillhold-Csrf` in every request."),
    }),
    condition: "read",
  }),
  issueSignIn: route({
    method: "POST",
    path: "/v1/sign-in-codes",
    tag: "tokens",
    summary: "Create a one-time sign-in code for a person, used at `/sign-in#<code>`",
    roles: admins,
    body: z.strictObject({ user: Name, role: SignInRole }),
    answer: z.object({ code: z.string(), user: z.string(), role: SignInRole, expiresAt: At }),
    status: 201,
    isSensitive: true,
    errors: ["POLICY_DENIED", "SIGN_IN_REQUIRED"],
  }),
  listSignIns: route({
    method: "GET",
    path: "/v1/sign-in-codes",
    tag: "tokens",
    summary: "List the sign-in codes that are not used yet, oldest first; revoke one like a token",
    roles: admins,
    answer: z.object({
      codes: z
        .array(
          z.object({
            id: z.string(),
            user: z.string(),
            role: Role,
            createdBy: z.string(),
            createdAt: At,
            expiresAt: At,
          }),
        )
        .readonly(),
    }),
    condition: "read",
  }),
  signIn: route({
    method: "POST",
    path: "/v1/sign-in",
    tag: "tokens",
    summary: "Exchange a one-time code for a session cookie",
    roles: "anyone",
    body: z.strictObject({ code: z.string().min(1).max(256) }),
    answer: z.object({ user: z.string(), role: Role, csrf: z.string(), expiresAt: At }),
    errors: ["UNAUTHENTICATED"],
  }),
  signOut: route({
    method: "POST",
    path: "/v1/sign-out",
    tag: "tokens",
    summary: "End a browser session",
    roles: people,
    answer: "nothing",
    status: 204,
  }),
} as const;
