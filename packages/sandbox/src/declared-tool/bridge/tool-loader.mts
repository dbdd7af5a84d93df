import { describeOutput, readInput, type ToolInput } from "./tool-schema.mts";
import { findTools, type ToolShape } from "./tool-shape.mts";

/** What the host is told about a tool. */
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

/** The tools that a module exports; one with a schema that cannot be read hides none of the others. */
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
  // LangChain's `invoke` parses by itself: what a schema has changed once is not to go through it again.
  const running = shape.parsesItself
    ? shape.run(args, { signal })
    : shape.run(value, { signal, abortSignal: signal, toolCallId: String(call.id), messages: [] });
  const result = await running;
  return isAsyncIterable(result) ? lastOf(result) : result;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** A tool of the AI SDK may yield its result in stages: the last one counts. */
async function lastOf(stages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const stage of stages) last = stage;
  return last;
}
