import { generateKeyPairSync, hash, sign } from "node:crypto";
import { initializeCA, initializeCTLog, initializeTLog } from "@sigstore/mock";

export interface SigstoreInstance {
  /** The text of `trusted_root.json`. */
  readonly trustedRoot: string;
  /** Signs bytes as `cosign sign-blob` does; returns the text of the bundle. */
  signBlob(blob: string, signer: SigstoreSigner): Promise<string>;
  /** Signs an in-toto statement as `cosign attest-blob` does. */
  attest(statement: object, signer: SigstoreSigner): Promise<string>;
}

interface SigstoreSigner {
  /** A URL, because the certificate authority of the tests writes no other kind of subject. */
  readonly identity: string;
  readonly issuer: string;
}

const ISSUER_OID = "1.3.6.1.4.1.57264.1.8";
const INTOTO = "application/vnd.in-toto+json";

/** A certificate authority and two transparency logs with keys of their own. */
export async function openSigstore(): Promise<SigstoreInstance> {
  const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ctLog = await initializeCTLog(pair());
  const ca = await initializeCA(generateKeyPairSync("ec", { namedCurve: "P-384" }), ctLog);
  const tlog = await initializeTLog("https://rekor.test", pair());
  const log = (publicKey: Buffer) => ({
    baseUrl: "https://rekor.test",
    hashAlgorithm: "SHA2_256",
    logId: { keyId: hash("sha256", publicKey, "base64") },
    publicKey: {
      rawBytes: publicKey.toString("base64"),
      keyDetails: "PKIX_ECDSA_P256_SHA_256",
      validFor: { start: "2020-01-01T00:00:00Z" },
    },
  });
  const trustedRoot = {
    mediaType: "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
    tlogs: [log(tlog.publicKey)],
    certificateAuthorities: [
      {
        subject: { organization: "test", commonName: "test" },
        uri: "https://fulcio.test",
        certChain: { certificates: [{ rawBytes: base64(ca.rootCertificate) }] },
        validFor: { start: "2020-01-01T00:00:00Z" },
      },
    ],
    ctlogs: [log(ctLog.publicKey)],
    timestampAuthorities: [],
  };

  const certify = async ({ identity, issuer }: SigstoreSigner) => {
    const { publicKey, privateKey } = pair();
    const certificate = base64(
      await ca.issueCertificate({
        publicKey: new Uint8Array(publicKey.export({ format: "der", type: "spki" })),
        subjectAltName: identity,
        extensions: [{ oid: ISSUER_OID, value: issuer }],
      }),
    );
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
    return { privateKey, certificate, verifier: Buffer.from(pem).toString("base64") };
  };

  const bundle = async (certificate: string, entry: Entry, content: object): Promise<string> => {
    // The log returns one entry; its types are in a package that it does not depend on.
    const [logged] = Object.values(await tlog.log(entry)) as [LoggedEntry];
    const { inclusionProof: proof, signedEntryTimestamp } = logged.verification;
    const tlogEntry = {
      logIndex: String(logged.logIndex),
      logId: { keyId: Buffer.from(logged.logID, "hex").toString("base64") },
      kindVersion: { kind: entry.kind, version: entry.apiVersion },
      integratedTime: String(logged.integratedTime),
      inclusionPromise: { signedEntryTimestamp },
      inclusionProof: {
        logIndex: String(proof.logIndex),
        rootHash: Buffer.from(proof.rootHash, "hex").toString("base64"),
        treeSize: String(proof.treeSize),
        hashes: [],
        checkpoint: { envelope: proof.checkpoint },
      },
      canonicalizedBody: logged.body,
    };
    return JSON.stringify({
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      verificationMaterial: { certificate: { rawBytes: certificate }, tlogEntries: [tlogEntry] },
      ...content,
    });
  };

  return {
    trustedRoot: JSON.stringify(trustedRoot),
    signBlob: async (blob, signer) => {
      const { privateKey, certificate, verifier } = await certify(signer);
      const signature = sign("sha256", Buffer.from(blob), privateKey).toString("base64");
      const entry = {
        kind: "hashedrekord",
        apiVersion: "0.0.1",
        spec: {
          data: { hash: { algorithm: "sha256", value: hash("sha256", blob) } },
          signature: { content: signature, publicKey: { content: verifier } },
        },
      };
      const messageDigest = { algorithm: "SHA2_256", digest: hash("sha256", blob, "base64") };
      return await bundle(certificate, entry, { messageSignature: { messageDigest, signature } });
    },
    attest: async (statement, signer) => {
      const { privateKey, certificate, verifier } = await certify(signer);
      const payload = Buffer.from(JSON.stringify(statement));
      const signed = Buffer.concat([
        Buffer.from(`DSSEv1 ${INTOTO.length} ${INTOTO} ${payload.length} `),
        payload,
      ]);
      const sig = sign("sha256", signed, privateKey).toString("base64");
      const envelope = { payloadType: INTOTO, payload: payload.toString("base64"), signatures: [{ sig }] };
      const entry = {
        kind: "dsse",
        apiVersion: "0.0.1",
        spec: {
          payloadHash: { algorithm: "sha256", value: hash("sha256", payload) },
          envelopeHash: { algorithm: "sha256", value: hash("sha256", JSON.stringify(envelope)) },
          signatures: [{ signature: sig, verifier }],
        },
      };
      return await bundle(certificate, entry, { dsseEnvelope: envelope });
    },
  };
}

interface Entry {
  readonly kind: string;
  readonly apiVersion: string;
  readonly spec: object;
}

interface LoggedEntry {
  readonly body: string;
  readonly integratedTime: number;
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly signedEntryTimestamp: string;
    readonly inclusionProof: {
      readonly logIndex: number;
      readonly treeSize: number;
      readonly rootHash: string;
      readonly checkpoint: string;
    };
  };
}

function base64(bytes: ArrayBufferView): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
