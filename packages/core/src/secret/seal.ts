import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";
import type { SecretScope } from "./secret.ts";

/** Where a sealed value belongs. It opens nowhere else. */
export interface SecretPlace extends SecretScope {
  readonly name: string;
}

/** The length of a key, in bytes. */
export const KEY_BYTES = 32;
const VERSION = 1;
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Seals a value: a version byte, a random nonce, the tag, the encrypted bytes. The place is authenticated too, so
 * write access to a store is not enough to move a value to another skill, agent or name.
 */
export function seal(value: string, place: SecretPlace, key: Uint8Array): Uint8Array {
  checkKey(key);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(placeBytes(place));
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** Throws SECRET_UNREADABLE for another key, another place, and for bytes that were changed. */
export function unseal(bytes: Uint8Array, place: SecretPlace, key: Uint8Array): string {
  checkKey(key);
  if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw unreadable(place);
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  try {
    const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(placeBytes(place))
      .setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(HEAD_BYTES)), cipher.final()]).toString("utf8");
  } catch (error) {
    throw unreadable(place, error);
  }
}

/** No two places have the same bytes: an array of fixed length, in which every string is quoted. */
function placeBytes({ skill, agent, name }: SecretPlace): Uint8Array {
  return Buffer.from(JSON.stringify(["skillhold-secret", VERSION, skill, agent ?? null, name]));
}

function checkKey(key: Uint8Array): void {
  if (key.length === KEY_BYTES) return;
  throw new SkillError(
    "CONFIG_INVALID",
    `The key for secrets has ${key.length} bytes instead of ${KEY_BYTES}.`,
  );
}

function unreadable({ skill, agent, name }: SecretPlace, cause?: unknown): SkillError {
  const whose = agent === undefined ? skill : `${skill} and ${agent}`;
  return new SkillError("SECRET_UNREADABLE", `The secret ${name} of ${whose} cannot be opened.`, {
    details: { skill, agent, name },
    cause,
  });
}
