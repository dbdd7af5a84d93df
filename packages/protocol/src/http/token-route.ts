import { z } from "zod";
import { Role } from "../role.ts";
import { At, Name } from "./field.ts";
import { admins, everyone, people, route } from "./route.ts";

export const TokenView = z.object({
  id: z.string(),
  kind: z.enum(["api", "session"]).describe("A program's, or that of a browser whose user signed in."),
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
    summary: "List tokens, without their secrets",
    roles: admins,
    answer: z.object({ tokens: z.array(TokenView).readonly() }),
  }),
  issueToken: route({
    method: "POST",
    path: "/v1/tokens",
    tag: "tokens",
    summary: "Issue a token; its secret is shown once",
    roles: admins,
    body: z.strictObject({
      name: Name,
      role: Role,
      user: Name.optional(),
      agent: Name.optional(),
      expiresInMs: z.int().min(60_000).optional(),
    }),
    answer: z.object({ token: TokenView, secret: z.string() }),
    status: 201,
    errors: ["AGENT_NOT_FOUND", "POLICY_DENIED"],
  }),
  revokeToken: route({
    method: "DELETE",
    path: "/v1/tokens/{token}",
    tag: "tokens",
    summary: "Revoke a token; it counts no more at once",
    roles: admins,
    params: z.strictObject({ token: z.uuid() }),
    answer: TokenView,
    errors: ["TOKEN_NOT_FOUND", "POLICY_DENIED"],
  }),
  whoAmI: route({
    method: "GET",
    path: "/v1/me",
    tag: "tokens",
    summary: "Who you are to the gateway",
    roles: everyone,
    answer: z.object({
      user: z.string(),
      agent: z.string().optional(),
      role: Role,
      expiresAt: At,
      token: z.string().describe("The token's id."),
      csrf: z.string().optional().describe("For a browser: what `X-Skillhold-Csrf` must say on every call."),
    }),
  }),
  signIn: route({
    method: "POST",
    path: "/v1/sign-in",
    tag: "tokens",
    summary: "Turn a one-time code into a session cookie; the code counts once",
    roles: "anyone",
    body: z.strictObject({ code: z.string().min(1).max(256) }),
    answer: z.object({ user: z.string(), role: Role, csrf: z.string(), expiresAt: At }),
    errors: ["UNAUTHENTICATED"],
  }),
  signOut: route({
    method: "POST",
    path: "/v1/sign-out",
    tag: "tokens",
    summary: "End the session of a browser",
    roles: people,
    answer: "nothing",
    status: 204,
  }),
} as const;
