export { isNoRegistry } from "./engine/no-registry.ts";
export { SqliteApprovals } from "./local/sqlite-approvals.ts";
export { SqliteCache } from "./local/sqlite-cache.ts";
export { type SecretPorts, SqliteSecrets } from "./local/sqlite-secrets.ts";
export { openStateDatabase } from "./local/sqlite-state.ts";
export { copyDatabase } from "./local/state-copy.ts";
export { isEmptyRegistry, openRegistryStore, readFolderToggles } from "./table/open-registry-store.ts";
export type { RegistryStoreOptions } from "./table/registry-store.ts";
