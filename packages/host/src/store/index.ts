export {
  AUDIT_KEY_VARIABLE,
  AUDIT_WITNESS_VARIABLE,
  checkpointsOf,
  findOwnKey,
  openSignedStore,
  type SignedStoreOptions,
} from "./audit-store.ts";
export { createBackup, restoreFromBackup, verifyBackup } from "./backup.ts";
export { scanOnUse } from "./dependency-scan.ts";
export { DiscoveryLog, recordShadowing } from "./discovery-log.ts";
export { localProposer, type ProposerChoice, proposalStore } from "./local-proposer.ts";
export {
  chooseStore,
  isStoreAlone,
  isStoreEmpty,
  type LayerOptions,
  openRegistryLayer,
  type RegistryLayer,
  readDisabledFolders,
  STORE_LABEL,
  type StoreChoice,
} from "./registry-layer.ts";
export { findSecrets, isStateThere, openState, type State, secretKeys, withState } from "./state.ts";
export { UserLog } from "./user-log.ts";
export { noticingStore, withWaitNotice } from "./wait-notice.ts";
