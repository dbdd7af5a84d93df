export type { ArchiveFile } from "./archive-file.ts";
export { type ArchiveSkill, findArchiveSkills } from "./find-archive-skills.ts";
export type { RefusalReason } from "./refusal.ts";
export {
  type ArchiveFormat,
  type UnpackedArchive,
  type UnpackedFile,
  type UnpackOptions,
  unpack,
} from "./unpack.ts";
export { writeArchive } from "./write-archive.ts";
