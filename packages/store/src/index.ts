export { AuditFile, type AuditFilePorts, type AuditHandle, openAuditFile } from "./audit-file.ts";
export { SqliteApprovals } from "./sqlite-approvals.ts";
export { SqliteCache } from "./sqlite-cache.ts";
export { type SecretPorts, SqliteSecrets } from "./sqlite-secrets.ts";
export { openStateDatabase } from "./sqlite-state.ts";
