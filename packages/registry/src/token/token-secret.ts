import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Returns cryptographically random bytes. */
export type Random = (bytes: number) => Uint8Array;

const PREFIX = "skh_";
const BYTES = 32;
const SHAPE = /^skh_[A-Za-z0-9_-]{43}$/;

/** The prefix lets secret scanners recognize tokens in code and logs. */
export function makeSecret(random: Random = randomBytes): string {
  return PREFIX + Buffer.from(random(BYTES)).toString("base64url");
}

/** Whether a text has the form of a secret; other texts are not looked up. */
export function isSecret(text: string): boolean {
  return SHAPE.test(text);
}

/** 256 random bits need neither salt nor a slow hash. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Compares in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
