export { isNoRegistry } from "./no-registry.ts";
export { openRegistryStore } from "./open-registry-store.ts";
export type { RegistryStoreOptions } from "./registry-store.ts";
export { SqliteApprovals } from "./sqlite-approvals.ts";
export { SqliteCache } from "./sqlite-cache.ts";
export { type SecretPorts, SqliteSecrets } from "./sqlite-secrets.ts";
export { openStateDatabase } from "./sqlite-state.ts";
