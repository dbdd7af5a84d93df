import type { Digest } from "@skillhold/protocol";
import type { EvalReportBody, EvalSummary } from "@skillhold/protocol/http";

/** An eval report of one content of a skill, as the store keeps it. */
export interface EvalResult {
  readonly id: string;
  /** The UUID of the skill. */
  readonly skill: string;
  readonly treeHash: Digest;
  /** When the store received it. */
  readonly addedAt: string;
  readonly by: string;
  readonly summary: EvalSummary;
  readonly report: EvalReportBody;
}

/** The position and filters of a page of eval results. */
export interface EvalPage {
  readonly after?: Pick<EvalResult, "addedAt" | "id"> | undefined;
  /** Only results of this content. */
  readonly treeHash?: Digest | undefined;
  readonly limit: number;
}
