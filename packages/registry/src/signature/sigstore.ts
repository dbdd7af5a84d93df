import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { errorCodeOf } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { Envelope, INTOTO } from "./dsse.ts";
import { SIGSTORE_PACKAGE, type SignatureCheck } from "./signature-check.ts";
import { SigstoreIdentity, type SigstoreRoot, type SigstoreTrust } from "./sigstore-trust.ts";

const Bundle = z.looseObject({
  mediaType: z.string().max(200),
  verificationMaterial: z.looseObject({}),
  dsseEnvelope: Envelope.optional(),
  messageSignature: z
    .looseObject({
      messageDigest: z.looseObject({ algorithm: z.literal("SHA2_256"), digest: z.string().max(100) }),
    })
    .optional(),
});
const Statement = z.looseObject({
  subject: z
    .array(z.looseObject({ name: z.string().max(1000).optional(), digest: z.record(z.string(), z.string()) }))
    .min(1)
    .max(1000),
  predicateType: z.string(),
});

export interface SigstoreSubject {
  /** The bytes that `cosign sign-blob` signs. */
  readonly payload: string;
  /** The tree hash that the subject of a statement has, without its prefix. */
  readonly treeHash: string;
  /** Other statements about the content, such as scan results, are not signatures. */
  readonly predicates: ReadonlySet<string>;
}

/** Checks a Sigstore bundle: a signature of the payload, or a statement about the tree hash. */
export function checkSigstoreBundle(
  content: string,
  { payload, treeHash, predicates }: SigstoreSubject,
  trust: SigstoreTrust,
  load = loadSigstore,
): SignatureCheck {
  const invalid = (reason: string): SignatureCheck => ({ status: "invalid", format: "sigstore", reason });
  const json = parseJson(content);
  const { dsseEnvelope, messageSignature } = Bundle.safeParse(json).data ?? {};
  if ((dsseEnvelope === undefined) === (messageSignature === undefined))
    return invalid("it is no Sigstore bundle");
  if (messageSignature !== undefined) {
    const isSame = messageSignature.messageDigest.digest === hash("sha256", payload, "base64");
    if (!isSame) return invalid("the content is not what was signed");
  } else {
    const statement = readStatement(json);
    if (statement === undefined || !predicates.has(statement.predicateType))
      return invalid("its statement is not about the origin of a skill");
    if (!statement.subject.some(({ digest }) => digest["sha256"] === treeHash))
      return invalid("the content is not what was signed");
  }
  return verifySigstore(json, { format: "sigstore", artifact: Buffer.from(payload) }, trust, load);
}

/** The statement of a bundle; undefined where it has none. The signature is not checked. */
export function readStatement(bundle: unknown): z.infer<typeof Statement> | undefined {
  const { dsseEnvelope, messageSignature } = Bundle.safeParse(bundle).data ?? {};
  if (messageSignature !== undefined || dsseEnvelope?.payloadType !== INTOTO) return undefined;
  return Statement.safeParse(parseJson(Buffer.from(dsseEnvelope.payload, "base64").toString("utf8"))).data;
}

interface BundleUse {
  readonly format: "sigstore" | "oms";
  /** The signed bytes of a bundle without an envelope. */
  readonly artifact?: Buffer;
}

/** Verifies certificate, log entry, signature and identity of a bundle whose content was compared before. */
export function verifySigstore(
  bundle: unknown,
  { format, artifact }: BundleUse,
  { roots, identities }: SigstoreTrust,
  load = loadSigstore,
): SignatureCheck {
  const invalid = (reason: string): SignatureCheck => ({ status: "invalid", format, reason });
  const untrusted = (reason: string, keyId = ""): SignatureCheck => ({
    status: "untrusted",
    format,
    reason,
    keyId,
  });
  let sigstore: Sigstore;
  try {
    sigstore = load();
  } catch (error) {
    if (errorCodeOf(error) !== "MODULE_NOT_FOUND") throw error;
    const reason = `install ${SIGSTORE_PACKAGE} to verify Sigstore bundles`;
    return { status: "untrusted", format, reason, keyId: "", missing: SIGSTORE_PACKAGE };
  }
  if (roots.length === 0) return untrusted("no Sigstore root is trusted");
  const found = verifyWithRoots(bundle, artifact, roots, sigstore);
  if (typeof found === "string")
    return BROKEN.has(found)
      ? invalid(`its signature does not verify (${found})`)
      : untrusted(`no trusted Sigstore root confirms it (${found})`);
  const { data } = SigstoreIdentity.safeParse(found);
  if (data === undefined) return invalid("its certificate names no identity and issuer");
  const known = identities.find(
    ({ identity, issuer }) => issuer === data.issuer && fits(identity, data.identity),
  );
  return known === undefined
    ? untrusted(`its signer ${data.identity}, confirmed by ${data.issuer}, is not trusted`, data.identity)
    : { status: "verified", format, signer: known.identity, keyId: data.identity };
}

/** Failures that no other root could turn into a success. */
const BROKEN: ReadonlySet<string> = new Set(["BUNDLE_ERROR", "SIGNATURE_ERROR", "TLOG_BODY_ERROR"]);

/** The identity in the certificate; otherwise the code of the failure. */
function verifyWithRoots(
  json: unknown,
  artifact: Buffer | undefined,
  roots: readonly SigstoreRoot[],
  { readBundle, readRoot, toTrustMaterial, toSignedEntity, Verifier }: Sigstore,
): { readonly identity: string | undefined; readonly issuer: string | undefined } | string {
  let entity: unknown;
  try {
    entity = toSignedEntity(readBundle(json), artifact);
  } catch {
    // The package rejects a malformed bundle with errors of several kinds.
    return "BUNDLE_ERROR";
  }
  const failures: string[] = [];
  for (const { file, root } of roots) {
    const material = readMaterial(file, () => toTrustMaterial(readRoot(root)));
    try {
      const { identity } = new Verifier(material).verify(entity);
      return { identity: identity?.subjectAlternativeName, issuer: identity?.extensions?.issuer };
    } catch (error) {
      failures.push(errorCodeOf(error) || "BUNDLE_ERROR");
    }
  }
  return failures.find((code) => BROKEN.has(code)) ?? failures[0] ?? "BUNDLE_ERROR";
}

function readMaterial(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new SkillError("CONFIG_INVALID", `The trusted Sigstore root ${file} is damaged.`, {
      hint: "Remove it with `skillhold trust remove`, and add it again.",
      cause: error,
    });
  }
}

function fits(pattern: string, value: string): boolean {
  const source = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
  return new RegExp(`^${source}$`).test(value);
}

/** The used part of `@sigstore/verify` and of the packages that it depends on. */
export interface Sigstore {
  readonly readBundle: (json: unknown) => unknown;
  readonly readRoot: (json: unknown) => unknown;
  readonly toTrustMaterial: (root: unknown) => unknown;
  readonly toSignedEntity: (bundle: unknown, artifact: Buffer | undefined) => unknown;
  readonly Verifier: new (
    material: unknown,
  ) => {
    verify(entity: unknown): {
      readonly identity?: {
        readonly subjectAlternativeName?: string;
        readonly extensions?: { readonly issuer?: string };
      };
    };
  };
}

export function isSigstoreInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(SIGSTORE_PACKAGE);
    return true;
  } catch {
    return false;
  }
}

export function missingVerifier(id: string, name: string): SkillError {
  return new SkillError(
    "VERIFIER_MISSING",
    `The Sigstore bundle of ${id} cannot be verified without ${name}.`,
    {
      hint: `Install it: npm install ${name}`,
      details: { id, package: name },
    },
  );
}

/** Loads the optional package, and the copies of its dependencies that fit it. */
function loadSigstore(): Sigstore {
  const here = createRequire(import.meta.url);
  const verify = here(SIGSTORE_PACKAGE);
  const there = createRequire(here.resolve(SIGSTORE_PACKAGE));
  return {
    readBundle: there("@sigstore/bundle").bundleFromJSON,
    readRoot: there("@sigstore/protobuf-specs").TrustedRoot.fromJSON,
    toTrustMaterial: verify.toTrustMaterial,
    toSignedEntity: verify.toSignedEntity,
    Verifier: verify.Verifier,
  };
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
