import { describeOutput, readInput, type ToolInput } from "./tool-schema.mts";
import { findTools, type ToolShape } from "./tool-shape.mts";

/** The description of a tool for the host. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
}

export interface LoadedTool {
  readonly name: string;
  readonly description: ToolDescription;
  run(args: unknown, call: BridgeCall): Promise<unknown>;
}

export interface BridgeCall {
  readonly id: number;
  readonly signal: AbortSignal;
}

/** Loads the tools that a module exports. A tool with an invalid schema does not hide the others. */
export async function loadTools(
  module: Readonly<Record<string, unknown>>,
  file: string,
): Promise<{ readonly tools: readonly LoadedTool[]; readonly problems: readonly string[] }> {
  const stem = file.replace(/^.*\//, "").replace(/\.[^.]+$/, "");
  const shapes = findTools(module, stem);
  if (shapes.length === 0) return { tools: [], problems: ["The module exports no tool."] };
  const tools: LoadedTool[] = [];
  const problems: string[] = [];
  for (const shape of shapes) {
    try {
      tools.push(await loadTool(shape, file));
    } catch (error) {
      problems.push(`${shape.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tools, problems };
}

async function loadTool(shape: ToolShape, file: string): Promise<LoadedTool> {
  const input = await readInput(shape.input);
  const outputSchema = await describeOutput(shape.output);
  const { name, description } = shape;
  return {
    name,
    description: {
      name,
      description,
      file,
      inputSchema: input.schema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    },
    run: (args, call) => run(shape, input, args, call),
  };
}

async function run(shape: ToolShape, input: ToolInput, args: unknown, call: BridgeCall): Promise<unknown> {
  const value = await input.parse(args);
  const { signal } = call;
  // LangChain's `invoke` parses the arguments itself, and a schema must not transform them twice.
  const running = shape.parsesItself
    ? shape.run(args, { signal })
    : shape.run(value, { signal, abortSignal: signal, toolCallId: String(call.id), messages: [] });
  const result = await running;
  return isAsyncIterable(result) ? lastOf(result) : result;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** A tool of the AI SDK may yield intermediate results; the last one is the result. */
async function lastOf(stages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const stage of stages) last = stage;
  return last;
}
