export {
  type ClawhubBundle,
  type ClawhubFile,
  type ClawhubOptions,
  type RefusedFile,
  toClawhubBundle,
} from "./clawhub-bundle.ts";
export {
  CLAWHUB_LOCK,
  CLAWHUB_ORIGIN,
  type ClawhubLock,
  type ClawhubOrigin,
  clawhubFingerprint,
  emptyClawhubLock,
  readClawhubLock,
  readClawhubOrigin,
  writeClawhubLock,
  writeClawhubOrigin,
} from "./clawhub-lock.ts";
export {
  EXPORT_MANIFEST,
  EXPORT_MANIFEST_BYTES,
  type ExportedGrant,
  type ExportedSkill,
  type ExportManifest,
  readExportManifest,
  writeExportManifest,
} from "./export-manifest.ts";
export {
  emptySkillsLock,
  type LockedSkill,
  readSkillsLock,
  SKILLS_LOCK,
  type SkillsLock,
  skillsLockHash,
  writeSkillsLock,
} from "./skills-lock.ts";
