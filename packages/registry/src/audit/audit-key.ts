import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { AuditKeyChange } from "../record/registry-store.ts";
import type { CheckpointSigner, TrustedKey } from "./checkpoint.ts";

export type KeyChange = AuditKeyChange["event"];

/** The keys that may sign a log at one moment. */
export interface KeySet {
  /** The key that no other key endorsed. All others follow from it. */
  readonly root: string | undefined;
  readonly keys: readonly string[];
}

export const noKeys: KeySet = { root: undefined, keys: [] };

/** The name of all keys in checkpoints. Keys with the same name differ by their hash. */
export const KEY_NAME = "skillhold";

/** The text of a key in events, of a private or a public key. */
export function keyText(key: KeyObject): string {
  const spki = (key.type === "private" ? createPublicKey(key) : key).export({ format: "der", type: "spki" });
  return `ed25519:${spki.subarray(-32).toString("base64")}`;
}

/** Contract: the text has the form of `AuditKey`. */
export function keyOfText(text: string, name = KEY_NAME): TrustedKey {
  const x = Buffer.from(text.slice("ed25519:".length), "base64").toString("base64url");
  return { name, key: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }) };
}

/** Signs a change for one position in one log, so that it cannot be repeated elsewhere. */
export function endorse(
  { seq, event }: AuditKeyChange,
  origin: string,
  { key }: CheckpointSigner,
): NonNullable<KeyChange["endorsement"]> {
  const signature = sign(null, endorsedText(seq, event, origin), key).toString("base64");
  return { key: keyText(key), signature };
}

/**
 * The keys after a change; undefined if the change is not endorsed by one of the keys before it. An added key without an
 * endorsement replaces all others: callers decide whether they trust this new root.
 */
export function nextKeys(before: KeySet, { seq, event }: AuditKeyChange, origin: string): KeySet | undefined {
  const { key, change, endorsement } = event;
  if (endorsement === undefined) return change === "added" ? { root: key, keys: [key] } : undefined;
  if (!before.keys.includes(endorsement.key)) return undefined;
  const signature = Buffer.from(endorsement.signature, "base64");
  const text = endorsedText(seq, event, origin);
  if (!verify(null, text, keyOfText(endorsement.key).key, signature)) return undefined;
  const others = before.keys.filter((each) => each !== key);
  return { root: before.root, keys: change === "added" ? [...others, key] : others };
}

function endorsedText(seq: number, { change, key }: KeyChange, origin: string): Buffer {
  return Buffer.from(`skillhold audit key\n${origin}\n${seq}\n${change}\n${key}\n`);
}
