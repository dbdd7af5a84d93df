export { ChunkReader } from "./chunk-reader.ts";
export type { TarProblem } from "./extension.ts";
export { BLOCK_BYTES, isTar, readTar, type TarBlock, type TarOptions } from "./tar-reader.ts";
