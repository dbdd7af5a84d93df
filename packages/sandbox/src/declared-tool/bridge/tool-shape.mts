/** A tool that a module exports, independent of its library. */
export interface ToolShape {
  readonly name: string;
  readonly description: string;
  /** The schemas as written. */
  readonly input: unknown;
  readonly output: unknown;
  /** True when the tool checks its own arguments and needs the originals. */
  readonly parsesItself: boolean;
  run(args: unknown, context: object): unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const INPUT_KEYS = ["inputSchema", "schema", "parameters", "input_schema"];
const RUN_KEYS = ["execute", "invoke", "run", "handler", "func", "call"];

/**
 * Finds the tools among a module's exports, the default export first. A tool is an object with a description
 * or a schema and something to run, or a function with a description or a schema, or a list or record of
 * these. Other exports are helpers.
 */
export function findTools(module: Fields, stem: string): readonly ToolShape[] {
  const found = new Map<unknown, ToolShape>();
  collect(module["default"], stem, found);
  for (const [name, value] of Object.entries(module)) {
    if (name !== "default" && name !== "module.exports") collect(value, name, found);
  }
  // The module itself: `export const description`, `export function execute`.
  if (found.size === 0) collect(module, stem, found);
  return [...found.values()];
}

function collect(value: unknown, name: string, found: Map<unknown, ToolShape>, depth = 0): void {
  if (found.has(value) || !hasFields(value)) return;
  const tool = readTool(value, name);
  if (tool !== undefined) found.set(value, tool);
  else if (depth === 0 && typeof value === "object") {
    for (const [key, member] of Object.entries(value)) {
      collect(member, Array.isArray(value) ? name : key, found, 1);
    }
  }
}

function hasFields(value: unknown): value is Fields {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function readTool(value: Fields, exportName: string): ToolShape | undefined {
  const isFunction = typeof value === "function";
  const runKey = isFunction ? undefined : RUN_KEYS.find((key) => typeof value[key] === "function");
  const runner = runKey === undefined ? value : value[runKey];
  const description = value["description"];
  const inputKey = INPUT_KEYS.find((key) => hasFields(value[key]));
  if (typeof runner !== "function" || (typeof description !== "string" && inputKey === undefined)) {
    return undefined;
  }
  // A function always has a name, but its export name is more specific.
  const ownName = isFunction ? undefined : value["name"];
  return {
    name: typeof ownName === "string" && ownName !== "" ? ownName : exportName,
    description: typeof description === "string" ? description : "",
    input: inputKey === undefined ? undefined : value[inputKey],
    output: value["outputSchema"] ?? value["output_schema"],
    parsesItself: runKey === "invoke",
    run: (args, context) => Reflect.apply(runner, value, [args, context]),
  };
}
