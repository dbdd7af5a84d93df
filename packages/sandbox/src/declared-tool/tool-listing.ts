import type { JsonSchema, ListedTool, ToolListing, ToolProblem } from "@skillhold/core/run";
import { neutralText } from "@skillhold/core/text";
import { type BridgeReady, bridgeLimits } from "./bridge-message.ts";
import { readForeign } from "./foreign-json.ts";

export type Redact = (text: string) => string;

/** Reads what a bridge says that it has loaded. It can say anything: what is not as it should be becomes a problem. */
export function readListing(ready: BridgeReady, files: readonly string[], redact: Redact): ToolListing {
  const tools = new Map<string, ListedTool>();
  const problems: ToolProblem[] = [];
  for (const { file, error } of ready.problems) {
    if (files.includes(file)) problems.push({ file, message: foreignMessage(error, redact) });
  }
  for (const declared of ready.tools) {
    // It belongs to no module that was asked for, so that there is nobody to tell.
    if (!files.includes(declared.file)) continue;
    const tool = readTool(declared, redact);
    if (typeof tool === "string") problems.push({ file: declared.file, message: tool });
    else if (tools.has(tool.name)) problems.push(nameTaken(tool));
    else tools.set(tool.name, tool);
  }
  return { tools: [...tools.values()], problems };
}

export function nameTaken(tool: ListedTool): ToolProblem {
  return { file: tool.file, message: `There is another tool named ${tool.name}.` };
}

/** A message of a stranger's program, for one line. */
export function foreignMessage(message: string, redact: Redact): string {
  return neutralText(redact(message), bridgeLimits.messageLength);
}

function readTool(declared: BridgeReady["tools"][number], redact: Redact): ListedTool | string {
  const name = redact(declared.name);
  if (name === "" || name.length > bridgeLimits.nameLength || neutralText(name) !== name) {
    return `The name ${JSON.stringify(neutralText(name, 40))} cannot be that of a tool.`;
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
  // It was an object and `readForeign` keeps its kind.
  return neutralTexts(read.value) as JsonSchema;
}

/** A model reads titles and descriptions; other texts are values, and stay exactly as they are. */
function neutralTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(neutralTexts);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => {
    const isProse = typeof member === "string" && (key === "description" || key === "title");
    return [key, isProse ? neutralText(member, bridgeLimits.schemaTextLength) : neutralTexts(member)];
  });
  return Object.fromEntries(entries);
}
