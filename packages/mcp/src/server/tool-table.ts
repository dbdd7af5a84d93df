import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { SkillToolName } from "@skillhold/core/session";
import { z } from "zod";
import type { DeclaredToolName } from "./declared-tool.ts";

/** The title, annotations and output schema of a tool. */
export interface ToolRow {
  readonly title: string;
  readonly annotations: ToolAnnotations;
  readonly output: z.ZodObject;
}

const readOnly: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
/** Changes only the state of the session. */
const sessionChange: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** A third-party program may do anything that its sandbox allows, so the hints are the most cautious ones. */
export const running: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

const texts = z.array(z.string());
const count = z.number().min(0);

const Listing = z.looseObject({
  skills: z.array(
    z.looseObject({
      id: z.string(),
      description: z.string(),
      tags: texts,
      readiness: z.string().optional().describe("Only when the skill is not ready."),
      snippet: z.string().optional().describe("Text around the words that a search matched."),
      why: z.string().optional().describe("The words of the query that matched, and where."),
      isWeak: z.boolean().optional().describe("Only for a hit that may be there because no skill fits."),
      requires: texts.optional().describe("Skills that this one needs."),
      versions: count.optional().describe("How many near copies of it are not listed."),
    }),
  ),
  more: count.describe("The number of skills that are not listed."),
});

const Activated = z.looseObject({
  id: z.string(),
  name: z.string(),
  text: z.string().describe("The instructions, with hints and warnings."),
  tokens: count,
  treeHash: z.string(),
  files: z.array(z.looseObject({ path: z.string(), size: count, role: z.string() })),
  moreFiles: count,
  hints: texts,
  warnings: texts,
  isRepeat: z.boolean().describe("Whether the text only says that the skill is already loaded."),
});

const File = z.looseObject({
  skill: z.string(),
  path: z.string(),
  encoding: z.enum(["utf-8", "base64"]),
  content: z.string(),
  mimeType: z.string(),
  size: count.describe("The size of the whole file in bytes."),
  start: count,
  length: count.describe("The number of bytes that the content covers."),
  hasMore: z.boolean(),
  digest: z.string(),
  treeHash: z.string(),
  warnings: texts,
});

const Run = z.looseObject({
  run: z.string(),
  skill: z.string(),
  script: z.string(),
  treeHash: z.string(),
  exitCode: z.number(),
  outcome: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  isTruncated: z.boolean(),
  durationMs: z.number(),
  files: z.array(z.looseObject({ path: z.string(), size: count })),
  outputs: z.string().optional().describe("The output folder of the run that contains the files."),
});

const Published = z.looseObject({
  id: z.string(),
  revision: z.number(),
  status: z.enum(["published", "unchanged"]),
  isNew: z.boolean(),
  treeHash: z.string(),
  warnings: texts,
  missing: texts,
});

const Proposed = z.looseObject({
  id: z.string(),
  skill: z.string(),
  kind: z.enum(["create", "update"]),
  state: z.string(),
  isNew: z.boolean(),
  widened: texts,
});

const Loaded = z.looseObject({
  skill: z.string(),
  tools: z.array(z.looseObject({ name: z.string(), description: z.string() })),
  problems: z.array(z.looseObject({ message: z.string() })),
});

const Called = z.looseObject({
  skill: z.string(),
  tool: z.string(),
  treeHash: z.string(),
  result: z.unknown(),
});

/** The tools of a session, and the tools for tools that skills declare. */
export const toolTable: Readonly<Record<SkillToolName | DeclaredToolName, ToolRow>> = {
  list_skills: { title: "List skills", annotations: readOnly, output: Listing },
  search_skills: { title: "Search skills", annotations: readOnly, output: Listing },
  read_skill: { title: "Load a skill", annotations: readOnly, output: Activated },
  read_skill_resource: { title: "Read a file of a skill", annotations: readOnly, output: File },
  run_skill_script: { title: "Run a script of a skill", annotations: running, output: Run },
  deactivate_skill: {
    title: "Stop using a skill",
    annotations: sessionChange,
    output: z.looseObject({ id: z.string(), wasActive: z.boolean() }),
  },
  publish_skill: {
    title: "Publish a skill",
    annotations: { ...sessionChange, openWorldHint: true },
    output: Published,
  },
  propose_skill_update: {
    title: "Propose a change of a skill",
    annotations: sessionChange,
    output: Proposed,
  },
  propose_skill: { title: "Propose a new skill", annotations: sessionChange, output: Proposed },
  promote_skill: {
    title: "Promote a workflow to a skill",
    annotations: sessionChange,
    output: z.looseObject({
      proposal: z.string(),
      skill: z.string(),
      draft: z.string().optional(),
      repetition: z.looseObject({ verdict: z.string() }),
    }),
  },
  // Loading the tools of a skill runs its code.
  load_skill_tools: {
    title: "Load the tools of a skill",
    annotations: { ...running, idempotentHint: true },
    output: Loaded,
  },
  call_skill_tool: { title: "Call a tool of a skill", annotations: running, output: Called },
};
