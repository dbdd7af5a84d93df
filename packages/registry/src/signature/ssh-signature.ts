import { createHash } from "node:crypto";
import { isSshSignature, readSshKey, type SshKey, SshReader, sshString } from "./ssh-wire.ts";

/** A signature as `ssh-keygen -Y sign` writes it. */
export interface SshSignature {
  readonly key: SshKey;
  readonly namespace: string;
  readonly hash: "sha256" | "sha512";
  readonly signature: Buffer;
}

const MAGIC = "SSHSIG";
const BEGIN = "-----BEGIN SSH SIGNATURE-----";
const END = "-----END SSH SIGNATURE-----";
const MOST_LENGTH = 16 * 1024;

/** Reads an armored signature; undefined for any other text. */
export function parseSshSignature(text: string): SshSignature | undefined {
  const start = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (start === -1 || end < start || text.length > MOST_LENGTH) return undefined;
  const reader = new SshReader(Buffer.from(text.slice(start + BEGIN.length, end), "base64"));
  if (reader.take(MAGIC.length)?.toString("latin1") !== MAGIC || reader.number() !== 1) return undefined;
  const key = readSshKey(reader.string() ?? Buffer.alloc(0));
  const namespace = reader.text();
  const reserved = reader.string();
  const hash = reader.text();
  const signature = reader.string();
  if (key === undefined || namespace === undefined || reserved === undefined || signature === undefined)
    return undefined;
  if (hash !== "sha256" && hash !== "sha512") return undefined;
  return { key, namespace, hash, signature };
}

/** Whether the signature covers this message, in the namespace of the signature. */
export function isSignedMessage(
  { key, namespace, hash, signature }: SshSignature,
  message: Uint8Array,
): boolean {
  const digest = createHash(hash).update(message).digest();
  const data = Buffer.concat([
    Buffer.from(MAGIC),
    sshString(namespace),
    sshString(""),
    sshString(hash),
    sshString(digest),
  ]);
  return isSshSignature(signature, data, key);
}
