import { parseWith, TEXT_INPUT } from "./tool-schema.mts";

type Run = (...args: readonly unknown[]) => unknown;

interface ToolFields {
  readonly name?: string;
  readonly description?: string;
  readonly schema?: unknown;
  readonly responseFormat?: string;
}

/** Replaces LangChain when it is not installed, with the parts that a tool declaration needs. */
export function tool(run: Run, fields: ToolFields): StructuredTool {
  const named = { ...fields, name: fields.name ?? run.name };
  // LangChain passes no run manager to these functions.
  const func: Run = (input, _manager, config) => run(input, config);
  return takesText(fields.schema)
    ? new DynamicTool({ ...named, func })
    : new DynamicStructuredTool({ ...named, func });
}

/** The base class of a skill's own tool classes. */
export abstract class StructuredTool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly schema: unknown;
  readonly responseFormat: string = "content";

  protected abstract _call(input: unknown, manager: undefined, config: unknown): unknown;

  async invoke(input: unknown, config: unknown = {}): Promise<unknown> {
    const output = await this._call(await parseWith(this.schema, input), undefined, config);
    // The second part of the pair is for the host application.
    return this.responseFormat === "content_and_artifact" && Array.isArray(output) ? output[0] : output;
  }
}

export class DynamicStructuredTool extends StructuredTool {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  override readonly responseFormat: string;
  readonly func: Run;

  constructor(fields: ToolFields & { readonly func: Run }) {
    super();
    this.name = fields.name ?? "";
    this.description = fields.description ?? "";
    this.schema = fields.schema ?? { type: "object", properties: {} };
    this.responseFormat = fields.responseFormat ?? "content";
    this.func = fields.func;
  }

  protected _call(input: unknown, manager: undefined, config: unknown): unknown {
    return this.func(input, manager, config);
  }
}

/** A tool with a single text argument. */
export class DynamicTool extends DynamicStructuredTool {
  constructor(fields: ToolFields & { readonly func: Run }) {
    super({ ...fields, schema: TEXT_INPUT });
  }

  protected override _call(input: unknown, manager: undefined, config: unknown): unknown {
    const text = typeof input === "object" && input !== null && "input" in input ? input.input : input;
    return this.func(text, manager, config);
  }
}

function takesText(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if ("type" in schema) return schema.type === "string";
  return false;
}
