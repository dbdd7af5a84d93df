import { createHash, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { z } from "zod";
import { Envelope, INTOTO, isSignedBy } from "./dsse.ts";
import type { SignatureCheck } from "./signature-check.ts";

/** The trust anchors for OpenSSF Model Signing: certificates of authorities, and keys. */
export interface ModelTrust {
  readonly roots: readonly X509Certificate[];
  readonly keys: readonly { readonly principal: string; readonly key: KeyObject; readonly keyId: string }[];
  readonly now: Date;
}

export interface SignedContent {
  readonly path: string;
  /** `sha256:` and hexadecimal digits. */
  readonly digest: string;
}

const bytes = z.looseObject({ rawBytes: z.string().max(65_536) });
const Bundle = z.looseObject({
  verificationMaterial: z.looseObject({
    x509CertificateChain: z.looseObject({ certificates: z.array(bytes).min(1).max(10) }).optional(),
    certificate: bytes.optional(),
    publicKey: z.looseObject({ hint: z.string().nullish(), rawBytes: z.string().nullish() }).optional(),
  }),
  dsseEnvelope: Envelope,
});
const Statement = z.looseObject({
  _type: z.string(),
  subject: z.array(z.looseObject({ digest: z.record(z.string(), z.string()) })).min(1),
  predicateType: z.string(),
  predicate: z.looseObject({
    serialization: z.looseObject({
      method: z.string(),
      hash_type: z.string(),
      ignore_paths: z.array(z.string()).nullish(),
    }),
    resources: z
      .array(z.looseObject({ name: z.string(), digest: z.string(), algorithm: z.string() }))
      .max(10_000),
  }),
});

const PREDICATES: ReadonlySet<string> = new Set([
  "https://model_signing/signature/v1.0",
  "https://model_signing/Digests/v0.1",
]);

/** Checks an OpenSSF Model Signing bundle against the files of a skill. It does not cover executable bits. */
export function checkModelSignature(
  text: string,
  files: readonly SignedContent[],
  signatureFile: string,
  trust: ModelTrust,
): SignatureCheck {
  const bundle = Bundle.safeParse(parseJson(text)).data;
  if (bundle === undefined) return invalid("it is no Sigstore bundle with a DSSE envelope");
  const { dsseEnvelope, verificationMaterial: material } = bundle;
  if (dsseEnvelope.payloadType !== INTOTO)
    return invalid(`its payload is of the type ${dsseEnvelope.payloadType}`);
  const statement = Statement.safeParse(
    parseJson(Buffer.from(dsseEnvelope.payload, "base64").toString("utf8")),
  ).data;
  if (statement === undefined || !PREDICATES.has(statement.predicateType))
    return invalid("it is no model signature");
  const problem = findContentProblem(statement, files, signatureFile);
  if (problem !== undefined) return invalid(problem);
  const raw =
    material.x509CertificateChain?.certificates ??
    (material.certificate === undefined ? [] : [material.certificate]);
  return raw.length > 0
    ? checkChain(
        raw.map(({ rawBytes }) => rawBytes),
        dsseEnvelope,
        trust,
      )
    : checkKey(dsseEnvelope, trust);
}

function invalid(reason: string): SignatureCheck {
  return { status: "invalid", format: "oms", reason };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every file is among the signed ones with its digest, every signed one is there, and the subject stands for all. */
function findContentProblem(
  { predicate: { serialization, resources }, subject }: z.infer<typeof Statement>,
  files: readonly SignedContent[],
  signatureFile: string,
): string | undefined {
  if (serialization.method !== "files" || serialization.hash_type !== "sha256")
    return `files are serialized by ${serialization.method} and ${serialization.hash_type}, which is not supported`;
  const combined = createHash("sha256");
  for (const { digest } of resources) combined.update(Buffer.from(digest, "hex"));
  if (subject[0]?.digest["sha256"] !== combined.digest("hex"))
    return "its subject is not the hash of its files";
  const signed = new Map(resources.map(({ name, digest, algorithm }) => [name, `${algorithm}:${digest}`]));
  const ignored = new Set([
    signatureFile,
    ...(serialization.ignore_paths ?? []).map((path) => path.replace(/^\.\//, "")),
  ]);
  for (const { path, digest } of files) {
    const isIgnored = [...ignored].some(
      (each) => path === each || path.startsWith(`${each.replace(/\/$/, "")}/`),
    );
    if (isIgnored) continue;
    const expected = signed.get(path);
    if (expected === undefined) return `the file ${path} was not signed`;
    if (expected !== digest) return `the file ${path} is not the one that was signed`;
    signed.delete(path);
  }
  const [missing] = signed.keys();
  return missing === undefined ? undefined : `the signed file ${missing} is missing`;
}

function checkChain(
  chain: readonly string[],
  envelope: Envelope,
  { roots, now }: ModelTrust,
): SignatureCheck {
  const certificates = chain.flatMap((raw) => readCertificate(raw));
  const [leaf] = certificates;
  if (leaf === undefined || certificates.length !== chain.length)
    return invalid("its certificates cannot be read");
  if (!isSignedBy(envelope, leaf.publicKey)) return invalid("its signature is not of its certificate's key");
  const signer = commonName(leaf);
  const keyId = leaf.fingerprint256;
  const untrusted = (reason: string): SignatureCheck => ({
    status: "untrusted",
    format: "oms",
    reason,
    keyId,
  });
  const expired = certificates.find(
    ({ validFrom, validTo }) => now < new Date(validFrom) || new Date(validTo) < now,
  );
  if (expired !== undefined)
    return untrusted(`the certificate of ${commonName(expired)} is not valid at this time`);
  if (!leadsTo(leaf, certificates.slice(1), roots))
    return untrusted("its certificate leads to no trusted authority");
  return { status: "verified", format: "oms", signer, keyId };
}

/** Whether each certificate is issued by the next, and the last by a trusted one. */
function leadsTo(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): boolean {
  let current = leaf;
  for (let depth = 0; depth < 10; depth += 1) {
    const root = roots.find(
      (each) => isIssuedBy(current, each) || each.fingerprint256 === current.fingerprint256,
    );
    if (root !== undefined) return true;
    const next = others.find(
      (each) => each.fingerprint256 !== current.fingerprint256 && isIssuedBy(current, each),
    );
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function checkKey(envelope: Envelope, { keys }: ModelTrust): SignatureCheck {
  const known = keys.find(({ key }) => isSignedBy(envelope, key));
  if (known !== undefined)
    return { status: "verified", format: "oms", signer: known.principal, keyId: known.keyId };
  return {
    status: "untrusted",
    format: "oms",
    reason: "its key is not among the allowed signers",
    keyId: "",
  };
}

function readCertificate(raw: string): readonly X509Certificate[] {
  try {
    return [new X509Certificate(Buffer.from(raw, "base64"))];
  } catch {
    return [];
  }
}

function commonName(certificate: X509Certificate): string {
  // Certificates of Sigstore have no subject; the types of Node omit that case.
  const subject: string = certificate.subject ?? "";
  return (/^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ")).slice(0, 200);
}

/** The public key of a PEM text; undefined for any other text. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
