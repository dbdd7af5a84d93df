/** Replaces `ai` when it is not installed, with the parts that a tool declaration needs. */
export function tool<T>(definition: T): T {
  return definition;
}

export function dynamicTool<T extends object>(definition: T): T & { readonly type: "dynamic" } {
  return { ...definition, type: "dynamic" };
}

export interface DescribedSchema {
  readonly jsonSchema: unknown;
  readonly validate: ((value: unknown) => unknown) | undefined;
}

export function jsonSchema(
  schema: unknown,
  options: { readonly validate?: (value: unknown) => unknown } = {},
): DescribedSchema {
  return { jsonSchema: typeof schema === "function" ? schema() : schema, validate: options.validate };
}

export function zodSchema<T>(schema: T): T {
  return schema;
}
