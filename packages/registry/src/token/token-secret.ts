import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Gives so many bytes that nobody can guess. */
export type Random = (bytes: number) => Uint8Array;

const PREFIX = "skh_";
const BYTES = 32;
const SHAPE = /^skh_[A-Za-z0-9_-]{43}$/;

/** A secret begins with a word of its own, so that scanners of code and logs know one when they see it. */
export function makeSecret(random: Random = randomBytes): string {
  return PREFIX + Buffer.from(random(BYTES)).toString("base64url");
}

/** Whether a text could be a secret; nothing else is looked for in a store. */
export function isSecret(text: string): boolean {
  return SHAPE.test(text);
}

/** The hash needs no salt and no delay: nobody tries out 256 random bits. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** In a time that tells nothing about where they differ. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
