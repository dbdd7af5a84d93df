import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";

/** Reads the fields of SSH's binary format; a truncated field reads as undefined. */
export class SshReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes);
  }

  get rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  take(length: number): Buffer | undefined {
    if (length < 0 || this.#at + length > this.#bytes.length) return undefined;
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  number(): number | undefined {
    return this.take(4)?.readUInt32BE(0);
  }

  string(): Buffer | undefined {
    const length = this.number();
    return length === undefined ? undefined : this.take(length);
  }

  text(): string | undefined {
    return this.string()?.toString("utf8");
  }
}

export function sshString(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/** A public key as SSH writes it, and how its signatures are checked. */
export interface SshKey {
  readonly type: string;
  /** The binary form, which identifies the key. */
  readonly blob: Buffer;
  readonly key: KeyObject;
  /** The application that a security key signs for. */
  readonly application: string | undefined;
}

const CURVES: Readonly<Record<string, { readonly name: string; readonly hash: string }>> = {
  nistp256: { name: "P-256", hash: "sha256" },
  nistp384: { name: "P-384", hash: "sha384" },
  nistp521: { name: "P-521", hash: "sha512" },
};

/** Reads a public key; undefined for invalid bytes or an unsupported type. */
export function readSshKey(blob: Uint8Array): SshKey | undefined {
  const reader = new SshReader(blob);
  const type = reader.text();
  const found = type === undefined ? undefined : readKey(type, reader);
  if (type === undefined || found === undefined) return undefined;
  const application = type.startsWith("sk-") ? reader.text() : undefined;
  if (type.startsWith("sk-") && application === undefined) return undefined;
  return { type, blob: Buffer.from(blob), key: found, application };
}

function readKey(type: string, reader: SshReader): KeyObject | undefined {
  try {
    if (type === "ssh-ed25519" || type === "sk-ssh-ed25519@openssh.com") {
      const x = reader.string();
      if (x?.length !== 32) return undefined;
      return createPublicKey({
        key: { kty: "OKP", crv: "Ed25519", x: x.toString("base64url") },
        format: "jwk",
      });
    }
    if (type.startsWith("ecdsa-sha2-") || type === "sk-ecdsa-sha2-nistp256@openssh.com")
      return readCurve(reader);
    if (type !== "ssh-rsa") return undefined;
    const [e, n] = [reader.string(), reader.string()];
    if (e === undefined || n === undefined) return undefined;
    const key = { kty: "RSA", e: unsigned(e).toString("base64url"), n: unsigned(n).toString("base64url") };
    return createPublicKey({ key, format: "jwk" });
  } catch {
    // Numbers that make no key.
    return undefined;
  }
}

function readCurve(reader: SshReader): KeyObject | undefined {
  const curve = CURVES[reader.text() ?? ""];
  const point = reader.string();
  if (curve === undefined || point === undefined || point[0] !== 4) return undefined;
  const half = (point.length - 1) / 2;
  const [x, y] = [point.subarray(1, 1 + half), point.subarray(1 + half)];
  const key = { kty: "EC", crv: curve.name, x: x.toString("base64url"), y: y.toString("base64url") };
  return createPublicKey({ key, format: "jwk" });
}

function unsigned(bytes: Buffer): Buffer {
  return bytes[0] === 0 ? bytes.subarray(1) : bytes;
}

/** As `ssh-keygen -l` shows it. */
export function fingerprintOf(blob: Uint8Array): string {
  return `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/, "")}`;
}

/** Whether an SSH signature blob is of this key over these bytes. */
export function isSshSignature(
  signature: Uint8Array,
  data: Buffer,
  { type, key, application }: SshKey,
): boolean {
  const reader = new SshReader(signature);
  const algorithm = reader.text();
  const blob = reader.string();
  if (algorithm === undefined || blob === undefined) return false;
  try {
    if (application !== undefined)
      return isSecurityKey(reader, algorithm, blob, data, { key, application, type });
    if (algorithm === "ssh-ed25519" && type === algorithm) return verify(null, data, key, blob);
    if (algorithm.startsWith("ecdsa-sha2-") && type === algorithm) {
      const hash = CURVES[algorithm.slice("ecdsa-sha2-".length)]?.hash;
      return hash !== undefined && verify(hash, data, key, derOf(blob));
    }
    // SHA-1 signatures (`ssh-rsa`) are not accepted.
    const hash =
      type === "ssh-rsa" ? { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" }[algorithm] : undefined;
    return hash !== undefined && verify(hash, data, key, blob);
  } catch {
    // The signature is malformed.
    return false;
  }
}

interface HardwareKey {
  readonly key: KeyObject;
  readonly application: string;
  readonly type: string;
}

/** A security key signs its application, its flags and a counter along with the hash of the data. */
function isSecurityKey(
  reader: SshReader,
  algorithm: string,
  blob: Buffer,
  data: Buffer,
  { key, application, type }: HardwareKey,
): boolean {
  const flags = reader.take(1);
  const counter = reader.take(4);
  if (algorithm !== type || flags === undefined || counter === undefined) return false;
  const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();
  const signed = Buffer.concat([sha256(application), flags, counter, sha256(data)]);
  if (type === "sk-ssh-ed25519@openssh.com") return verify(null, signed, key, blob);
  return verify("sha256", signed, key, derOf(blob));
}

/** SSH writes the two numbers of ECDSA as its own; verifiers want DER. */
function derOf(blob: Buffer): Buffer {
  const reader = new SshReader(blob);
  const numbers = [reader.string() ?? Buffer.alloc(0), reader.string() ?? Buffer.alloc(0)].map((number) =>
    Buffer.concat([Buffer.from([2, number.length]), number]),
  );
  const body = Buffer.concat(numbers);
  const head = body.length < 128 ? [0x30, body.length] : [0x30, 0x81, body.length];
  return Buffer.concat([Buffer.from(head), body]);
}
