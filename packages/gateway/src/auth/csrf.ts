import { createHmac, timingSafeEqual } from "node:crypto";

/** The header without which the cookie of a session counts for nothing. */
export const CSRF_HEADER = "x-skillhold-csrf";

/**
 * What a page of our own sends beside the cookie. Cookies are sent to every port of a host: whoever is sent one there
 * does not know the token's id, and cannot work this out.
 */
export function csrfOf(secret: string, token: string): string {
  return createHmac("sha256", secret).update(`csrf ${token}`).digest("base64url");
}

/** In a time that tells nothing about where they differ. */
export function isCsrfOf(given: string, secret: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(csrfOf(secret, token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
