import type { Digest, SkillId } from "@skillhold/protocol";
import type { ApprovalCall } from "../approval/approval.ts";

/** The tools that a skill's modules declare, and the problems of those that fail. */
export interface ToolListing {
  readonly tools: readonly ListedTool[];
  readonly problems: readonly ToolProblem[];
}

export interface ListedTool {
  /** As declared. */
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolProblem {
  readonly file: string;
  readonly message: string;
}

/** The name and input of a declared tool. */
export interface ToolCatalogue {
  readonly tools: readonly DeclaredTool[];
  readonly problems: readonly ToolProblem[];
}

export interface DeclaredTool extends ListedTool {
  /** The id of its skill. */
  readonly skill: string;
  /** `<id>__<tool>`, from `declaredToolName`. */
  readonly toolName: string;
}

/** Caches tool listings by tree hash. Listing runs the skill's modules; a cached listing does not. */
export interface ToolCatalogueCache {
  get(treeHash: string): Promise<ToolListing | undefined>;
  set(treeHash: string, listing: ToolListing): Promise<void>;
}

export type ToolArgs = Readonly<Record<string, unknown>>;

export type CallOptions = ApprovalCall;

/** The result of a declared tool. */
export interface ToolAnswer {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly tool: string;
  readonly result: unknown;
  readonly durationMs: number;
}
