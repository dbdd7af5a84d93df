export { dockerLogin } from "./docker-login.ts";
export { installService } from "./install-service.ts";
export { npmRegistry } from "./npm-registry.ts";
export {
  addRoot,
  addSigstoreRoot,
  changeIdentities,
  changePolicy,
  changeSigners,
  readCertificates,
  readTrust,
  removeRoot,
  type TrustStore,
} from "./trust-store.ts";
