import { createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../audit/canonical-json.ts";
import { type CardSkill, readCard, visibleText } from "./agent-card.ts";

export const a2aVersions = ["1.0", "0.3"] as const;
export type A2aVersion = (typeof a2aVersions)[number];

/** The key that signs agent cards, and the address of its public part. */
export interface CardSigner {
  readonly key: KeyObject;
  readonly jku: string;
}

export interface CardSubject {
  /** The stored card as JSON. */
  readonly card: string | undefined;
  readonly name: string;
  /** The address of the workspace's A2A endpoint, if it has one. */
  readonly url: string | undefined;
  /** Whether the asker may see a skill. */
  readonly isVisible: (skill: CardSkill) => boolean;
}

const Modes = z.array(z.string().max(128)).min(1).max(32).catch(["text/plain"]);
const Texts = z.array(z.string().max(1000)).max(64).catch([]);
const Extra = z.looseObject({
  version: z.string().max(128).catch("0.0.0"),
  defaultInputModes: Modes,
  defaultOutputModes: Modes,
  capabilities: z
    .looseObject({ streaming: z.boolean().catch(false), pushNotifications: z.boolean().catch(false) })
    .catch({ streaming: false, pushNotifications: false }),
  skills: z
    .array(
      z
        .looseObject({ id: z.string().catch(""), name: z.string().catch(""), tags: Texts, examples: Texts })
        .catch({ id: "", name: "", tags: [], examples: [] }),
    )
    .catch([]),
});

/** The agent card of a workspace in the shape of A2A, with the skills that the asker may see, and signed. */
export function a2aCard(subject: CardSubject, version: A2aVersion, signer: CardSigner | undefined): string {
  const card = version === "1.0" ? currentCard(subject) : legacyCard(subject);
  return canonicalJson(signer === undefined || version !== "1.0" ? card : signed(card, signer));
}

function currentCard(subject: CardSubject): object {
  const { url } = subject;
  const interfaces = { supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] };
  return { ...sharedFields(subject), ...(url === undefined ? {} : interfaces) };
}

function legacyCard(subject: CardSubject): object {
  const { url = "" } = subject;
  const shared = { capabilities: {}, skills: [], description: "", ...sharedFields(subject) };
  return { ...shared, protocolVersion: "0.3.0", url, preferredTransport: "JSONRPC" };
}

/** Empty fields are left out: the signature covers the card without them. */
function sharedFields({ card, name, isVisible }: CardSubject): Readonly<Record<string, unknown>> {
  const read = readCard(card);
  const extra = Extra.parse(card === undefined ? {} : asMap(JSON.parse(card)));
  const listed = new Map(extra.skills.map((skill) => [visibleText(skill.id || skill.name, 128), skill]));
  const skills = read.skills.filter(isVisible).map((skill) => {
    const { tags = [], examples = [] } = listed.get(skill.id) ?? {};
    return withoutEmpty({ ...skill, tags: tags.map(line), examples: examples.map(line) });
  });
  const { streaming, pushNotifications } = extra.capabilities;
  const { version, defaultInputModes, defaultOutputModes } = extra;
  return withoutEmpty({
    name: read.name || name,
    description: read.description,
    version,
    capabilities: withoutEmpty({ streaming, pushNotifications }),
    defaultInputModes: defaultInputModes.map(line),
    defaultOutputModes: defaultOutputModes.map(line),
    skills,
  });
}

function line(text: string): string {
  return visibleText(text, 500);
}

function asMap(value: unknown): object {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function withoutEmpty(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(
    ([name, value]) => [name, Array.isArray(value) ? value.filter((each) => each !== "") : value] as const,
  );
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === "" || value === false || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A flattened JWS over the canonical card without its signatures. Ed25519 gives equal cards equal signatures. */
function signed(card: object, { key, jku }: CardSigner): object {
  const header = encode(JSON.stringify({ alg: "EdDSA", typ: "JOSE", kid: keyId(key), jku }));
  const signature = sign(null, Buffer.from(`${header}.${encode(canonicalJson(card))}`), key);
  return { ...card, signatures: [{ protected: header, signature: signature.toString("base64url") }] };
}

/** The public key as a JSON Web Key. */
export function publicCardKey(key: KeyObject): Readonly<Record<string, string>> {
  const { kty = "OKP", crv = "Ed25519", x = "" } = createPublicKey(key).export({ format: "jwk" });
  return { kty, crv, x, kid: keyId(key), alg: "EdDSA", use: "sig" };
}

/** The thumbprint of the public key, as RFC 7638 defines it. */
function keyId(key: KeyObject): string {
  const { crv, kty, x } = createPublicKey(key).export({ format: "jwk" });
  return hash("sha256", JSON.stringify({ crv, kty, x }), "base64url");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
