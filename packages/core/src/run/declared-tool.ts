import type { Digest, SkillId } from "@skillhold/protocol";

/** The tools that the modules of a skill declare, and what is wrong with those that do not. */
export interface ToolListing {
  readonly tools: readonly ListedTool[];
  readonly problems: readonly ToolProblem[];
}

export interface ListedTool {
  /** As it was declared. */
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

/** What a skill's tools are called and take, for whoever offers them to a model. */
export interface ToolCatalogue {
  readonly tools: readonly DeclaredTool[];
  readonly problems: readonly ToolProblem[];
}

export interface DeclaredTool extends ListedTool {
  /** The id of its skill. */
  readonly skill: string;
  /** `<id>__<tool>`, as `declaredToolName` makes it. */
  readonly toolName: string;
}

/**
 * Where listings are kept, by the tree hash of the content they come from. To list tools is to run a stranger's modules;
 * what is kept here can be shown without.
 */
export interface ToolCatalogueCache {
  get(treeHash: string): Promise<ToolListing | undefined>;
  set(treeHash: string, listing: ToolListing): Promise<void>;
}

export type ToolArgs = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** What a declared tool answered. */
export interface ToolAnswer {
  readonly run: string;
  readonly skill: SkillId;
  readonly treeHash: Digest;
  readonly tool: string;
  readonly result: unknown;
  readonly durationMs: number;
}
