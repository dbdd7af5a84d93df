export { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
export type { ArchiveFile } from "./archive-file.ts";
export { collect } from "./collect.ts";
export { type ArchiveSkill, findArchiveSkills } from "./find-archive-skills.ts";
export { type OpenArchiveOptions, type OpenedArchive, openArchiveFile } from "./open-archive-file.ts";
export type { RefusalReason } from "./rejection.ts";
export { sealArchive } from "./sealed-archive.ts";
export { listTarGz } from "./tar.ts";
export {
  type ArchiveFormat,
  type UnpackedArchive,
  type UnpackedFile,
  type UnpackOptions,
  unpack,
} from "./unpack.ts";
export { writeArchive } from "./write-archive.ts";
export { listZip } from "./zip.ts";
