import type { Digest } from "@skillhold/protocol";

/** What a client fetches to have a skill. It depends on the files alone. */
export interface Artefact {
  readonly type: "skill-md" | "archive";
  readonly digest: Digest;
  /** Of all files. */
  readonly paths: readonly string[];
}
