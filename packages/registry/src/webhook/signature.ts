import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new signing secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** Whether a text is a secret of 24 to 64 bytes, as Standard Webhooks asks for. */
export function isWebhookSecret(text: string): boolean {
  const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(encoded, "base64");
  return length >= 24 && length <= 64;
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of Standard Webhooks: the id, the time, and an HMAC-SHA256 of both with the body. */
export function signedHeaders(message: SignedMessage, secret: string): Readonly<Record<string, string>> {
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": `v1,${signatureOf(message, secret).toString("base64")}`,
  };
}

/** Whether a signature header has a valid signature of the message, in constant time. */
export function isSigned(message: SignedMessage, header: string, secret: string): boolean {
  const expected = signatureOf(message, secret);
  return header.split(" ").some((part) => {
    if (!part.startsWith("v1,")) return false;
    const given = Buffer.from(part.slice(3), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function signatureOf({ id, timestamp, body }: SignedMessage, secret: string): Buffer {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
}
