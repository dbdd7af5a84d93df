export { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
export type { ArchiveFile } from "./archive-file.ts";
export { collect } from "./collect.ts";
export { type OpenArchiveOptions, type OpenedArchive, openArchiveFile } from "./open-archive-file.ts";
export { exceedsLimit, type RefusalReason, rejectArchive } from "./rejection.ts";
export { sealArchive } from "./sealed-archive.ts";
export { listTarGz } from "./tar.ts";
export {
  type ArchiveContent,
  type ArchiveFormat,
  type CheckedArchive,
  checkArchive,
  type UnpackedArchive,
  type UnpackedFile,
  type UnpackOptions,
  unpack,
} from "./unpack.ts";
export { writeArchive } from "./write-archive.ts";
export { listZip } from "./zip.ts";
