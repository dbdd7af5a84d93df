import { hash } from "node:crypto";
import { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Blob, BlobStore } from "@skillhold/registry/record";
import type { Tx } from "../engine/db.ts";

/** The blobs of an engine, and what of them a transaction may wait for: where they are rows, it does so itself. */
export interface EngineBlobs extends BlobStore {
  within(tx: Tx): Pick<BlobStore, "missing" | "remove">;
}

export function blobDigest(bytes: Uint8Array): Digest {
  return asDigest(hash("sha256", bytes, "hex"));
}

export function asDigest(hex: string): Digest {
  return Digest.parse(`sha256:${hex}`);
}

/** Under another name than its own a blob would be lost. */
export function rejectFalseName({ digest, bytes }: Blob): void {
  if (blobDigest(bytes) === digest) return;
  throw new SkillError("INTEGRITY_FAILED", `Bytes to be kept as ${digest} have another hash.`, {
    hint: "They were changed since they were hashed; read them again.",
    details: { digest },
  });
}

export function blobDamaged(digest: Digest, found: Uint8Array | "odd" | undefined): SkillError {
  const problem = found === undefined ? "is missing" : "is damaged";
  return new SkillError("INTEGRITY_FAILED", `The blob ${digest} ${problem}.`, {
    details: { digest, problem },
  });
}
