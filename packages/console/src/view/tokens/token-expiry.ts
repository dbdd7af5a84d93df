import type { Tone } from "../../ui/badge.tsx";

export interface Expiring {
  readonly expiresAt: string;
  readonly revokedAt?: string | undefined;
}

const SOON_MS = 7 * 86_400_000;

/** The tone and text for a token's expiry; the text is absent when the expiry is far away. */
export function expiryOf(
  { expiresAt, revokedAt }: Expiring,
  now: number,
): { readonly tone: Tone; readonly text?: string } {
  const left = Date.parse(expiresAt) - now;
  if (revokedAt !== undefined) return { tone: "bad", text: "revoked" };
  if (left <= 0) return { tone: "bad", text: "expired" };
  if (left > SOON_MS) return { tone: "neutral" };
  const days = Math.ceil(left / 86_400_000);
  return { tone: "warn", text: days === 1 ? "in a day" : `in ${days} days` };
}

/** Whether the token is still valid. */
export function isAlive({ expiresAt, revokedAt }: Expiring, now: number): boolean {
  return revokedAt === undefined && Date.parse(expiresAt) > now;
}

/** Valid tokens first, then newest first. */
export function livingFirst<T extends Expiring & { readonly createdAt: string }>(
  tokens: readonly T[],
  now: number,
): readonly T[] {
  return tokens.toSorted(
    (a, b) =>
      Number(isAlive(b, now)) - Number(isAlive(a, now)) || Date.parse(b.createdAt) - Date.parse(a.createdAt),
  );
}
