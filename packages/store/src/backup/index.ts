export type { BackupEntry, BackupSummary } from "./backup-entry.ts";
export { backupRegistry, checkBackupFile, readSchemaVersion, restoreRegistry } from "./registry-backup.ts";
export type { CheckedBackup } from "./restore-backup.ts";
