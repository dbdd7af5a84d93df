import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

/** A commitment to a log at one moment: its size and root hash. */
export interface Checkpoint {
  /** Identifies the log. */
  readonly origin: string;
  readonly size: number;
  /** Hexadecimal. */
  readonly root: string;
}

/** The key that signs checkpoints. Kept with the writer of the log, never in the log's store. */
export interface CheckpointSigner {
  readonly name: string;
  readonly key: KeyObject;
}

/** A key whose checkpoints are trusted. */
export interface TrustedKey {
  readonly name: string;
  readonly key: KeyObject;
}

const SEPARATOR = "\n\n";

/**
 * A checkpoint as a signed note: origin, size and root, an empty line and the signature. This is the format
 * of transparency logs, so that other programs can witness ours.
 */
export function signCheckpoint(checkpoint: Checkpoint, { name, key }: CheckpointSigner): string {
  const text = noteText(checkpoint);
  const signature = Buffer.concat([keyHash(name, key), sign(null, Buffer.from(text), key)]);
  return `${text}\n— ${name} ${signature.toString("base64")}\n`;
}

/** The checkpoint of a note signed by one of the keys; undefined for any other text. */
export function readCheckpoint(note: string, keys: readonly TrustedKey[]): Checkpoint | undefined {
  const end = note.lastIndexOf(SEPARATOR);
  if (end < 0) return undefined;
  const text = note.slice(0, end + 1);
  const isSigned = note
    .slice(end + SEPARATOR.length)
    .split("\n")
    .some((line) => keys.some((trusted) => isSignedBy(line, text, trusted)));
  return isSigned ? parseText(text) : undefined;
}

function noteText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root, "hex").toString("base64")}\n`;
}

function isSignedBy(line: string, text: string, { name, key }: TrustedKey): boolean {
  const prefix = `— ${name} `;
  if (!line.startsWith(prefix)) return false;
  const bytes = Buffer.from(line.slice(prefix.length), "base64");
  const hash = keyHash(name, key);
  if (!bytes.subarray(0, hash.length).equals(hash)) return false;
  return verify(null, Buffer.from(text), key, bytes.subarray(hash.length));
}

function parseText(text: string): Checkpoint | undefined {
  const [origin = "", size = "", root = "", rest] = text.split("\n");
  if (rest !== "" || !/^(0|[1-9]\d{0,15})$/.test(size)) return undefined;
  return { origin, size: Number(size), root: Buffer.from(root, "base64").toString("hex") };
}

/** A log is signed with the same key after each append, and exporting the key takes as long as a signature. */
const keyHashes = new WeakMap<KeyObject, { readonly name: string; readonly hash: Buffer }>();

/**
 * The first four bytes of a hash over name, algorithm and public key, which distinguish keys with the same name.
 */
function keyHash(name: string, key: KeyObject): Buffer {
  const known = keyHashes.get(key);
  if (known?.name === name) return known.hash;
  const shown = key.type === "private" ? createPublicKey(key) : key;
  const raw = shown.export({ format: "der", type: "spki" }).subarray(-32);
  const all = createHash("sha256").update(`${name}\n`).update(Buffer.of(1)).update(raw).digest();
  const hash = all.subarray(0, 4);
  keyHashes.set(key, { name, hash });
  return hash;
}
