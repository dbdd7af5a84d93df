import { createHmac, timingSafeEqual } from "node:crypto";

/** The header that a session cookie is invalid without. */
export const CSRF_HEADER = "x-skillhold-csrf";

/**
 * The CSRF token of a session. A browser sends the cookie to every port of the host; a server on another port cannot
 * compute this value because it does not know the token's id.
 */
export function csrfOf(secret: string, token: string): string {
  return createHmac("sha256", secret).update(`csrf ${token}`).digest("base64url");
}

/** Compares in constant time. */
export function isCsrfOf(given: string, secret: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(csrfOf(secret, token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
