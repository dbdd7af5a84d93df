import { z } from "zod";
import { Role, SignInRole } from "../../role.ts";
import { At, Name } from "../field.ts";
import { admins, people, route } from "../route.ts";

export const PasskeyView = z.object({
  id: z.string(),
  user: z.string(),
  name: z.string(),
  createdAt: At,
  lastUsedAt: At.optional(),
});

/** Options for the browser, in the JSON form of WebAuthn Level 3. */
const WebAuthnOptions = z.record(z.string(), z.json());

const encoded = (most: number) =>
  z
    .string()
    .regex(/^[\w-]*$/)
    .max(most);
const credential = {
  id: encoded(1400),
  rawId: encoded(1400),
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.json()).default({}),
};

/** A new credential, as `PublicKeyCredential.toJSON()` returns it. */
export const NewCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded(8000),
    attestationObject: encoded(100_000),
    transports: z.array(z.string().max(32)).max(10).default([]),
  }),
});
export type NewCredential = z.output<typeof NewCredential>;

/** An assertion of a credential, as `PublicKeyCredential.toJSON()` returns it. */
export const PasskeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: encoded(8000),
    authenticatorData: encoded(8000),
    signature: encoded(8000),
    userHandle: encoded(200).nullish(),
  }),
});
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>;

export const passkeyRoutes = {
  listPasskeys: route({
    method: "GET",
    path: "/v1/passkeys",
    tag: "tokens",
    summary: "List your passkeys, oldest first; administrators may name another user",
    roles: people,
    query: z.strictObject({ user: Name.optional() }),
    answer: z.object({ passkeys: z.array(PasskeyView).readonly() }),
    condition: "read",
  }),
  startPasskey: route({
    method: "POST",
    path: "/v1/passkeys/options",
    tag: "tokens",
    summary: "Start to add a passkey; returns the options for `navigator.credentials.create()`",
    roles: people,
    answer: z.object({ options: WebAuthnOptions }),
    isSensitive: true,
    errors: ["SIGN_IN_REQUIRED", "NOT_READY", "LIMIT_EXCEEDED"],
  }),
  addPasskey: route({
    method: "POST",
    path: "/v1/passkeys",
    tag: "tokens",
    summary: "Add the passkey that the browser created",
    roles: people,
    body: z.strictObject({ name: Name, credential: NewCredential }),
    answer: PasskeyView,
    status: 201,
    isSensitive: true,
    errors: ["SIGN_IN_REQUIRED", "NOT_READY", "LIMIT_EXCEEDED", "CONFLICT"],
  }),
  removePasskey: route({
    method: "DELETE",
    path: "/v1/passkeys/{passkey}",
    tag: "tokens",
    summary: "Remove a passkey; administrators may remove those of others",
    roles: people,
    params: z.strictObject({ passkey: z.uuid() }),
    answer: PasskeyView,
    isSensitive: true,
    errors: ["PASSKEY_NOT_FOUND", "SIGN_IN_REQUIRED"],
  }),
  listSignInMethods: route({
    method: "GET",
    path: "/v1/sign-in/methods",
    tag: "tokens",
    summary: "List the ways to sign in besides a link",
    roles: "anyone",
    condition: "read",
    answer: z.object({
      passkeyOrigin: z.string().optional().describe("The origin at which passkeys work; absent without one."),
      sso: z.string().optional().describe("The name of the single sign-on provider; absent without one."),
    }),
  }),
  startPasskeySignIn: route({
    method: "POST",
    path: "/v1/sign-in/passkey/options",
    tag: "tokens",
    summary: "Start to sign in with a passkey; returns the options for `navigator.credentials.get()`",
    roles: "anyone",
    body: z.strictObject({
      confirm: z.boolean().optional().describe("Accept only a passkey of the user who is signed in."),
    }),
    answer: z.object({ options: WebAuthnOptions }),
    errors: ["NOT_READY", "UNAUTHENTICATED"],
  }),
  signInWithPasskey: route({
    method: "POST",
    path: "/v1/sign-in/passkey",
    tag: "tokens",
    summary: "Exchange an assertion of a passkey for a session cookie; ends the session of the same browser",
    roles: "anyone",
    body: z.strictObject({ credential: PasskeyAssertion }),
    answer: z.object({ user: z.string(), role: Role, csrf: z.string(), expiresAt: At }),
    errors: ["UNAUTHENTICATED", "NOT_READY"],
  }),
  startSso: route({
    method: "POST",
    path: "/v1/sign-in/sso/start",
    tag: "tokens",
    summary: "Start single sign-on; returns the provider's address to open in the same browser",
    roles: "anyone",
    body: z.strictObject({
      confirm: z
        .boolean()
        .optional()
        .describe("Have the user who is signed in sign in again at the provider."),
    }),
    answer: z.object({ url: z.string() }),
    errors: ["NOT_READY", "REMOTE_FAILED", "UNAUTHENTICATED"],
  }),
  startSsoSignOut: route({
    method: "POST",
    path: "/v1/sign-out/sso",
    tag: "tokens",
    summary: "Return the provider's address that ends its session; call it before `POST /v1/sign-out`",
    roles: people,
    answer: z.object({
      url: z
        .string()
        .optional()
        .describe("Absent unless single sign-on started the session and signs out there."),
    }),
  }),
  signInWithSso: route({
    method: "POST",
    path: "/v1/sign-in/sso",
    tag: "tokens",
    summary: "Exchange the provider's answer for a session cookie",
    roles: "anyone",
    body: z.strictObject({
      query: z.string().max(8000).describe("The query of the address that the provider opened."),
    }),
    answer: z.object({
      user: z.string(),
      role: Role,
      csrf: z.string(),
      expiresAt: At,
      isConfirmation: z.boolean().describe("Whether a signed-in user proved their identity again."),
    }),
    errors: ["UNAUTHENTICATED", "FORBIDDEN", "NOT_READY", "REMOTE_FAILED"],
  }),
  changeUser: route({
    method: "PUT",
    path: "/v1/users/{user}",
    tag: "access",
    summary:
      "Set the role of a person, or deactivate them. This revokes their tokens with a higher role, or all of them",
    roles: admins,
    params: z.strictObject({ user: Name }),
    body: z.strictObject({ role: SignInRole.optional(), isActive: z.boolean().optional() }),
    answer: z.object({ name: z.string(), role: SignInRole.optional(), isActive: z.boolean() }),
    isSensitive: true,
    errors: ["USER_NOT_FOUND", "POLICY_DENIED", "SIGN_IN_REQUIRED"],
  }),
} as const;
