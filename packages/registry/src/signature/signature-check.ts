/** What a signature of a skill says, after it was checked. */
export type SignatureCheck =
  | { readonly status: "none" }
  | {
      readonly status: "verified";
      readonly format: SignatureFormat;
      /** The principal of the list of allowed signers, the trusted Sigstore identity, or the subject of a certificate. */
      readonly signer: string;
      readonly keyId: string;
    }
  /** The signature fits the content, and its key is not one that is trusted. */
  | {
      readonly status: "untrusted";
      readonly format: SignatureFormat;
      readonly reason: string;
      readonly keyId: string;
      /** The optional package that would check the signature. */
      readonly missing?: string;
    }
  /** The signature does not fit the content, or cannot be read. */
  | { readonly status: "invalid"; readonly format: SignatureFormat; readonly reason: string };

/** Picks the check that decides: an invalid signature wins over a verified one, and a verified one over an untrusted one. */
export function strongest(checks: readonly SignatureCheck[]): SignatureCheck {
  const find = (status: SignatureCheck["status"]) => checks.find((check) => check.status === status);
  return find("invalid") ?? find("verified") ?? find("untrusted") ?? { status: "none" };
}

export type SignatureFormat = "dsse" | "ssh" | "oms" | "sigstore";

/** The signature files in a skill's folder. They are not part of the signed content. */
export const SIGNATURE_FILES: Readonly<Record<SignatureFormat, string>> = {
  dsse: "skill.dsse.json",
  ssh: "skill.sig",
  oms: "skill.oms.sig",
  sigstore: "skill.sigstore.json",
};

/** Verifies Sigstore bundles. It is not installed with Skillhold. */
export const SIGSTORE_PACKAGE = "@sigstore/verify";

export function isSignatureFile(path: string): boolean {
  return Object.values(SIGNATURE_FILES).includes(path);
}
