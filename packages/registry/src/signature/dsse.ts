import { type KeyObject, sign, verify } from "node:crypto";
import { z } from "zod";

/** A signed statement: Dead Simple Signing Envelope, version 1. */
export const Envelope = z.looseObject({
  payload: z.string().max(32 * 1024 * 1024),
  payloadType: z.string().max(256),
  signatures: z
    .array(z.looseObject({ sig: z.string().max(8192), keyid: z.string().max(512).nullish() }))
    .min(1)
    .max(20),
});
export type Envelope = Readonly<z.infer<typeof Envelope>>;

export const INTOTO = "application/vnd.in-toto+json";

/** The bytes that are signed: type and payload with their lengths, so that neither can pass for the other. */
export function preAuthEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export function signEnvelope(payload: Uint8Array, key: KeyObject, keyid: string): Envelope {
  const sig = sign(null, preAuthEncoding(INTOTO, payload), key).toString("base64");
  return {
    payload: Buffer.from(payload).toString("base64"),
    payloadType: INTOTO,
    signatures: [{ keyid, sig }],
  };
}

const HASHES: Readonly<Record<string, string>> = {
  prime256v1: "sha256",
  secp384r1: "sha384",
  secp521r1: "sha512",
};

/** Whether one of the envelope's signatures is of this key. */
export function isSignedBy({ payload, payloadType, signatures }: Envelope, key: KeyObject): boolean {
  const data = preAuthEncoding(payloadType, Buffer.from(payload, "base64"));
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const hash = key.asymmetricKeyType === "ed25519" ? null : (HASHES[curve ?? ""] ?? "sha256");
  return signatures.some(({ sig }) => {
    try {
      return verify(hash, data, key, Buffer.from(sig, "base64"));
    } catch {
      // Bytes that are no signature of such a key.
      return false;
    }
  });
}
