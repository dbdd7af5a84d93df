export { ensurePrivateFile } from "./ensure-file.ts";
export { keyFile } from "./key-file.ts";
export { memorySecrets } from "./memory-secrets.ts";
export { openPrivateFile, type PrivateFileOptions, syncFolder } from "./private-file.ts";
export { type RecordedSecrets, removeSecret, setSecret } from "./record-secret.ts";
export { makeRedactor, type Redactor, type RedactStream } from "./redact.ts";
export { KEY_BYTES, type SecretPlace, seal, unseal } from "./seal.ts";
export type { KeySource, SecretName, SecretScope, SecretStore } from "./secret.ts";
export {
  checkSecretName,
  checkSecretScope,
  checkSecretValue,
  declaredSecrets,
  isReservedName,
} from "./secret-name.ts";
