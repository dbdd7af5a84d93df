import type { JsonSchema, ListedTool, ToolListing, ToolProblem } from "@skillhold/core/run";
import { neutralText } from "@skillhold/core/text";
import { type BridgeReady, bridgeLimits } from "./bridge-message.ts";
import { readForeign } from "./foreign-json.ts";

export type Redact = (text: string) => string;

/** Reads the listing of a bridge. Its content is untrusted, so invalid parts become problems. */
export function readListing(ready: BridgeReady, files: readonly string[], redact: Redact): ToolListing {
  const tools = new Map<string, ListedTool>();
  const problems: ToolProblem[] = [];
  for (const { file, error } of ready.problems) {
    if (files.includes(file)) problems.push({ file, message: foreignMessage(error, redact) });
  }
  for (const declared of ready.tools) {
    // The file was not requested, so the problem is dropped.
    if (!files.includes(declared.file)) continue;
    const tool = readTool(declared, redact);
    if (typeof tool === "string") problems.push({ file: declared.file, message: tool });
    else if (tools.has(tool.name)) problems.push(nameTaken(tool));
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], problems };
}

export function nameTaken(tool: ListedTool): ToolProblem {
  return { file: tool.file, message: `Another tool has the name ${tool.name}.` };
}

/** The message of an untrusted program on one line. */
export function foreignMessage(message: string, redact: Redact): string {
  return neutralText(redact(message), bridgeLimits.messageLength);
}

function readTool(declared: BridgeReady["tools"][number], redact: Redact): ListedTool | string {
  const name = redact(declared.name);
  if (name === "" || name.length > bridgeLimits.nameLength || neutralText(name) !== name) {
    return `The name ${JSON.stringify(neutralText(name, 40))} is not a valid tool name.`;
  }
  const inputSchema = readSchema(declared.inputSchema, redact);
  if (inputSchema?.["type"] !== "object") {
    return `${name}: its input is not described by a JSON Schema of an object, or by one that is too large.`;
  }
  const outputSchema = readSchema(declared.outputSchema, redact);
  return {
    name,
    description: neutralText(redact(declared.description), bridgeLimits.descriptionLength),
    file: declared.file,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function readSchema(schema: unknown, redact: Redact): JsonSchema | undefined {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
  const read = readForeign(schema, { depth: bridgeLimits.schemaDepth, text: redact });
  if (read === undefined) return undefined;
  if (Buffer.byteLength(JSON.stringify(read.value)) > bridgeLimits.schemaBytes) return undefined;
  // The input was an object, and `readForeign` preserves the type.
  return neutralTexts(read.value) as JsonSchema;
}

/** Neutralizes titles and descriptions, which a model reads. Other texts are values and stay unchanged. */
function neutralTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(neutralTexts);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => {
    const isProse = typeof member === "string" && (key === "description" || key === "title");
    return [key, isProse ? neutralText(member, bridgeLimits.schemaTextLength) : neutralTexts(member)];
  });
  return Object.fromEntries(entries);
}
