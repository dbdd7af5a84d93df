import { createPublicKey, type KeyObject, type X509Certificate } from "node:crypto";
import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import type { FileDigest } from "@skillhold/skill";
import { z } from "zod";
import { canonicalJson } from "../audit/canonical-json.ts";
import { type AllowedSigner, findSigner } from "./allowed-signers.ts";
import { Envelope, INTOTO, isSignedBy, signEnvelope } from "./dsse.ts";
import { checkModelSignature } from "./model-signing.ts";
import { isSignatureFile, SIGNATURE_FILES, type SignatureCheck, strongest } from "./signature-check.ts";
import { checkSigstoreBundle, verifySigstore } from "./sigstore.ts";
import type { SigstoreTrust } from "./sigstore-trust.ts";
import { isSignedMessage, parseSshSignature } from "./ssh-signature.ts";
import { fingerprintOf, sshString } from "./ssh-wire.ts";

/** The namespace of skill signatures, so that a signature made for another purpose is not valid for a skill. */
export const NAMESPACE = "skillhold";
const PREDICATE = "urn:skillhold:skill-signature:v1";
const ORIGIN_PREDICATES: ReadonlySet<string> = new Set([PREDICATE, "https://slsa.dev/provenance/v1"]);
export const NO_SIGSTORE: SigstoreTrust = { roots: [], identities: [] };

/** Whose signatures are trusted. */
export interface TrustedKeys {
  readonly signers: readonly AllowedSigner[];
  readonly roots: readonly X509Certificate[];
  readonly sigstore?: SigstoreTrust;
}

export interface SignedFile extends FileDigest {
  readonly content: Uint8Array;
}

/** The tree hash without the signature files in the folder. */
export function signedTree(files: readonly FileDigest[]): Digest {
  return combineDigests(files.filter(({ path }) => !isSignatureFile(path)));
}

/** The text that an SSH key signs. */
export function sshPayload(files: readonly FileDigest[]): string {
  return `skillhold-skill-1\n${signedTree(files)}\n`;
}

/** Signs a skill with an Ed25519 key; the text goes to `skill.dsse.json`. */
export function signSkill(id: string, files: readonly FileDigest[], key: KeyObject): string {
  const payload = Buffer.from(canonicalJson(statementOf(id, files)));
  return `${JSON.stringify(signEnvelope(payload, key, keyIdOf(key)), undefined, 2)}\n`;
}

function statementOf(id: string, files: readonly FileDigest[]): object {
  const tree = signedTree(files);
  const resources = files
    .filter(({ path }) => !isSignatureFile(path))
    .map(({ path, digest, executable }) => ({
      name: path,
      algorithm: "sha256",
      digest: digest.slice("sha256:".length),
      executable,
    }));
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: id, digest: { sha256: tree.slice("sha256:".length) } }],
    predicateType: PREDICATE,
    predicate: { treeHash: tree, resources },
  };
}

/** The key in SSH's form: one list names keys of every format. */
export function sshBlobOf(key: KeyObject): Buffer {
  const raw = createPublicKey(key).export({ format: "jwk" })["x"];
  return Buffer.concat([sshString("ssh-ed25519"), sshString(Buffer.from(raw ?? "", "base64url"))]);
}

function keyIdOf(key: KeyObject): string {
  return fingerprintOf(sshBlobOf(key));
}

/** Checks every signature in a skill's folder; the strongest decides. */
export function checkSignatures(files: readonly SignedFile[], trust: TrustedKeys, now: Date): SignatureCheck {
  const checks = Object.entries(SIGNATURE_FILES).flatMap(([format, path]) => {
    const file = files.find((each) => each.path === path);
    if (file === undefined) return [];
    const text = new TextDecoder().decode(file.content);
    if (format === "dsse") return [checkEnvelope(text, files, trust, now)];
    if (format === "ssh") return [checkSsh(text, files, trust, now)];
    if (format === "sigstore") return [checkSigstore(text, files, trust)];
    return [checkOms(text, files, trust, now)];
  });
  return strongest(checks);
}

const Statement = z.looseObject({
  subject: z.array(z.looseObject({ digest: z.looseObject({ sha256: z.string() }) })).min(1),
  predicateType: z.literal(PREDICATE),
});

function checkEnvelope(
  text: string,
  files: readonly SignedFile[],
  { signers }: TrustedKeys,
  now: Date,
): SignatureCheck {
  const invalid = (reason: string): SignatureCheck => ({ status: "invalid", format: "dsse", reason });
  const envelope = Envelope.safeParse(parseJson(text)).data;
  if (envelope === undefined || envelope.payloadType !== INTOTO) return invalid("it is no signed statement");
  const payload = Buffer.from(envelope.payload, "base64").toString("utf8");
  const statement = Statement.safeParse(parseJson(payload)).data;
  if (statement === undefined) return invalid("its statement is not about a skill");
  if (`sha256:${statement.subject[0]?.digest.sha256}` !== signedTree(files))
    return invalid("the content is not what was signed");
  const known = signers.find(({ key }) => key.application === undefined && isSignedBy(envelope, key.key));
  if (known === undefined) {
    const keyId = envelope.signatures[0]?.keyid ?? "";
    return { status: "untrusted", format: "dsse", reason: "its key is not among the allowed signers", keyId };
  }
  return judge("dsse", known.key.blob, signers, now);
}

function checkSsh(
  text: string,
  files: readonly SignedFile[],
  { signers }: TrustedKeys,
  now: Date,
): SignatureCheck {
  const invalid = (reason: string): SignatureCheck => ({ status: "invalid", format: "ssh", reason });
  const signature = parseSshSignature(text);
  if (signature === undefined) return invalid("it is no SSH signature of a supported key");
  if (signature.namespace !== NAMESPACE)
    return invalid(`it was made for ${signature.namespace}, not for ${NAMESPACE}`);
  if (!isSignedMessage(signature, Buffer.from(sshPayload(files))))
    return invalid("the content is not what was signed");
  return judge("ssh", signature.key.blob, signers, now);
}

function judge(
  format: "dsse" | "ssh",
  blob: Buffer,
  signers: readonly AllowedSigner[],
  now: Date,
): SignatureCheck {
  const keyId = fingerprintOf(blob);
  const signer = findSigner(signers, { blob, namespace: NAMESPACE, now });
  if (typeof signer === "string") return { status: "untrusted", format, reason: signer, keyId };
  return { status: "verified", format, signer: signer.principals[0] ?? "", keyId };
}

function checkOms(
  text: string,
  files: readonly SignedFile[],
  { signers, roots, sigstore = NO_SIGSTORE }: TrustedKeys,
  now: Date,
): SignatureCheck {
  const keys = signers.map(({ principals, key, keyId }) => ({
    principal: principals[0] ?? "",
    key: key.key,
    keyId,
  }));
  const check = checkModelSignature(text, files, SIGNATURE_FILES.oms, { roots, keys, now });
  const bundle = parseJson(text);
  // The certificate of a logged signature is valid for minutes, so only the log shows that it was valid at that time.
  return check.status === "untrusted" && Logged.safeParse(bundle).success
    ? verifySigstore(bundle, { format: "oms" }, sigstore)
    : check;
}

const Logged = z.looseObject({
  messageSignature: z.undefined().optional(),
  verificationMaterial: z.looseObject({ tlogEntries: z.array(z.unknown()).min(1) }),
});

function checkSigstore(
  text: string,
  files: readonly SignedFile[],
  { sigstore = NO_SIGSTORE }: TrustedKeys,
): SignatureCheck {
  const treeHash = signedTree(files).slice("sha256:".length);
  const subject = { payload: sshPayload(files), treeHash, predicates: ORIGIN_PREDICATES };
  return checkSigstoreBundle(text, subject, sigstore);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
