export {
  type AllowedSigner,
  type AllowedSigners,
  findSigner,
  parseAllowedSigners,
} from "./allowed-signers.ts";
export { Envelope, isSignedBy, signEnvelope } from "./dsse.ts";
export { checkModelSignature, readPublicKey } from "./model-signing.ts";
export { type AttestedPackage, checkAttestations } from "./npm-attestation.ts";
export {
  isSignatureFile,
  SIGNATURE_FILES,
  SIGSTORE_PACKAGE,
  type SignatureCheck,
  type SignatureFormat,
  strongest,
} from "./signature-check.ts";
export { isSigstoreInstalled, missingVerifier } from "./sigstore.ts";
export {
  readSigstoreIdentities,
  readSigstoreRoots,
  type SigstoreIdentity,
  type SigstoreRoot,
  type SigstoreTrust,
  writeSigstoreIdentities,
} from "./sigstore-trust.ts";
export {
  checkSignatures,
  NAMESPACE,
  NO_SIGSTORE,
  type SignedFile,
  signedTree,
  signSkill,
  sshBlobOf,
  sshPayload,
  type TrustedKeys,
} from "./skill-signature.ts";
export { isSignedMessage, parseSshSignature, type SshSignature } from "./ssh-signature.ts";
export { fingerprintOf, readSshKey, type SshKey } from "./ssh-wire.ts";
