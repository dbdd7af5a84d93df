import type { z } from "zod";
import type { SignInAttempt } from "../record/passkey.ts";
import type { TokenContext } from "../token/put-token.ts";
import { hashSecret, isSecret, makeSecret } from "../token/token-secret.ts";

/** Stores what a browser must prove next, and returns the secret that binds it to the browser. */
export async function beginAttempt(
  kind: SignInAttempt["kind"],
  body: unknown,
  { store, clock, limits, random }: TokenContext,
): Promise<string> {
  const secret = makeSecret(random);
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + limits.signInAttemptMs).toISOString();
  const attempt = { id: hashSecret(secret), kind, body: JSON.stringify(body), expiresAt };
  await store.transaction((tx) => tx.putAttempt(attempt, { now, most: limits.signInAttempts }));
  return secret;
}

/** The body of an attempt of this kind; undefined if it was never started, taken before or has expired. */
export async function takeAttempt<T>(
  secret: string | undefined,
  kind: SignInAttempt["kind"],
  schema: z.ZodType<T>,
  { store, clock }: TokenContext,
): Promise<T | undefined> {
  if (secret === undefined || !isSecret(secret)) return undefined;
  const attempt = await store.transaction((tx) => tx.takeAttempt(hashSecret(secret)));
  if (attempt?.kind !== kind || Date.parse(attempt.expiresAt) <= clock.now().getTime()) return undefined;
  return schema.parse(JSON.parse(attempt.body));
}
