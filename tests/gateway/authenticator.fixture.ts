import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Bytes = Uint8Array;

/** An authenticator in software: it signs whatever a test asks for. */
export class SoftAuthenticator {
  readonly id = randomBytes(32);
  counter = 0;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #party: { readonly id: string; readonly origin: string };

  constructor(party: { readonly id: string; readonly origin: string }) {
    this.#party = party;
  }

  create(challenge: string) {
    const jwk = this.#keys.publicKey.export({ format: "jwk" });
    const key = cbor(
      new Map<number | string, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(jwk.x ?? "", "base64url")],
        [-3, Buffer.from(jwk.y ?? "", "base64url")],
      ]),
    );
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255]);
    const data = Buffer.concat([this.#data(0x45, {}), Buffer.alloc(16), length, this.id, key]);
    const attestation = cbor(
      new Map<number | string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map<number | string, Cbor>()],
        ["authData", data],
      ]),
    );
    return this.#credential({
      clientDataJSON: text(this.#client("webauthn.create", challenge, {})),
      attestationObject: text(attestation),
    });
  }

  /** An assertion, with parts that differ from a correct one. */
  get(challenge: string, userHandle: string, changed: Changed = {}) {
    this.counter += 1;
    const data = this.#data(changed.flags ?? 0x05, changed);
    const client = this.#client(changed.type ?? "webauthn.get", challenge, changed);
    const hash = createHash("sha256").update(client).digest();
    const signature = sign("sha256", Buffer.concat([data, hash]), this.#keys.privateKey);
    return this.#credential({
      clientDataJSON: text(client),
      authenticatorData: text(data),
      signature: text(signature),
      userHandle,
    });
  }

  #credential<T>(response: T) {
    const id = text(this.id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  #client(type: string, challenge: string, { origin = this.#party.origin }: Changed): Bytes {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #data(flags: number, { party = this.#party.id, counter = this.counter }: Changed): Bytes {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash("sha256").update(party).digest(), Buffer.from([flags]), count]);
  }
}

interface Changed {
  readonly origin?: string;
  readonly party?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly flags?: number;
}

function text(bytes: Bytes): string {
  return Buffer.from(bytes).toString("base64url");
}

type Cbor = number | string | Bytes | Map<number | string, Cbor>;

function cbor(value: Cbor): Bytes {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const parts = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([head(5, value.size), ...parts]);
}

function head(type: number, length: number): Bytes {
  if (length < 24) return Buffer.from([(type << 5) | length]);
  if (length < 256) return Buffer.from([(type << 5) | 24, length]);
  return Buffer.from([(type << 5) | 25, length >> 8, length & 255]);
}
