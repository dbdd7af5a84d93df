import { hash } from "node:crypto";
import { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Blob, BlobStore } from "@skillhold/registry/record";
import type { Tx } from "../engine/db.ts";

/**
 * The blobs of an engine. `within` gives the operations that a transaction may await, on its own connection
 * if blobs are rows.
 */
export interface EngineBlobs extends BlobStore {
  within(tx: Tx): Pick<BlobStore, "missing" | "remove">;
}

export function blobDigest(bytes: Uint8Array): Digest {
  return asDigest(hash("sha256", bytes, "hex"));
}

export function asDigest(hex: string): Digest {
  return Digest.parse(`sha256:${hex}`);
}

/** A blob stored under a wrong digest could not be found again. */
export function rejectFalseName({ digest, bytes }: Blob): void {
  if (blobDigest(bytes) === digest) return;
  throw new SkillError("INTEGRITY_FAILED", `The bytes for ${digest} have another hash.`, {
    hint: "Read the bytes again; they changed after they were hashed.",
    details: { digest },
  });
}

export function blobDamaged(digest: Digest, found: Uint8Array | "odd" | undefined): SkillError {
  const problem = found === undefined ? "is missing" : "is damaged";
  return new SkillError("INTEGRITY_FAILED", `The blob ${digest} ${problem}.`, {
    details: { digest, problem },
  });
}
