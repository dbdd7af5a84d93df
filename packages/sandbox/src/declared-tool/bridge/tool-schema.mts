/** The input of a tool: JSON Schema for the host, and a parser for the arguments. */
export interface ToolInput {
  readonly schema: object;
  /** Returns the parsed arguments with defaults; throws when they are invalid. */
  parse(args: unknown): Promise<unknown>;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (args: unknown) => Promise<unknown>;

/** The input of a tool with a single text, wrapped in an object, because models pass objects. */
export const TEXT_INPUT = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
} as const;

/** Reads zod, Standard Schema, the AI SDK's schemas, a record of zod types, and JSON Schema. */
export async function readInput(source: unknown): Promise<ToolInput> {
  if (source === undefined)
    return { schema: { type: "object", properties: {} }, parse: async (args) => args };
  const schema = await normalize(source);
  return { schema: asObjectSchema(await toJsonSchema(schema, "input")), parse: await checkOf(schema) };
}

/** An output schema is only a description, so one that has no JSON Schema form is dropped. */
export async function describeOutput(source: unknown): Promise<object | undefined> {
  if (source === undefined) return undefined;
  try {
    return await toJsonSchema(await normalize(source), "output");
  } catch {
    return undefined;
  }
}

/** Parses with the schema's own rules when it has them; a purely descriptive schema is not checked. */
export async function parseWith(source: unknown, args: unknown): Promise<unknown> {
  const check = hasFields(source) ? standardCheck(source) : undefined;
  return check === undefined ? args : check(args);
}

async function normalize(source: unknown): Promise<Fields> {
  // The AI SDK creates some schemas lazily.
  if (typeof source === "function" && !("~standard" in source)) return normalize(await source());
  if (!hasFields(source)) throw new Error("The schema is not an object.");
  if (isLangChainText(source)) return TEXT_INPUT;
  const members = Object.values(source);
  if ("_zod" in source || members.length === 0 || !members.every((member) => isZod(member))) return source;
  const { z } = await import("zod");
  // The check above proved that every member is a zod type.
  return z.object(source as Record<string, never>) as unknown as Fields;
}

/** LangChain describes a tool with a single text by a zod 3 type, which has no JSON Schema form. */
function isLangChainText(schema: Fields): boolean {
  const definition = schema["_def"];
  const inner =
    hasFields(definition) && definition["typeName"] === "ZodEffects" ? definition["schema"] : undefined;
  const shape = hasFields(inner) ? inner["shape"] : undefined;
  return hasFields(shape) && Object.keys(shape).join() === "input";
}

async function toJsonSchema(schema: Fields, io: "input" | "output"): Promise<object> {
  if (isZod(schema)) {
    const { z } = await import("zod");
    // `isZod` proved the type.
    return z.toJSONSchema(schema as never, { io, unrepresentable: "any" });
  }
  const standard = schema["~standard"];
  const describe =
    hasFields(standard) && hasFields(standard["jsonSchema"]) ? standard["jsonSchema"][io] : undefined;
  if (typeof describe === "function") return requireObject(describe({ target: "draft-2020-12" }));
  if (standard !== undefined || typeof schema["safeParse"] === "function") {
    throw new Error("The schema has no JSON Schema form. Use zod 4 or JSON Schema.");
  }
  return requireObject("jsonSchema" in schema ? await schema["jsonSchema"] : schema);
}

/** Models pass an object to a tool; a union of objects has no type of its own. */
function asObjectSchema(schema: object): object {
  const fields: Fields = { ...schema };
  if (fields["type"] === "object") return schema;
  if (fields["type"] === undefined) return { type: "object", ...schema };
  throw new Error("The input must be an object.");
}

async function checkOf(schema: Fields): Promise<Check> {
  const check = standardCheck(schema);
  if (check !== undefined) return check;
  const validate = schema["validate"];
  if ("jsonSchema" in schema && typeof validate === "function") {
    return async (args) => readOutcome(await validate(args), args);
  }
  const described = "jsonSchema" in schema ? await schema["jsonSchema"] : schema;
  return async (args) => {
    const zodSchema = await zodFromJsonSchema(described);
    // Validates only: a tool with a plain schema receives the original arguments.
    if (zodSchema !== undefined) await parseWith(zodSchema, args);
    return args;
  };
}

function standardCheck(schema: Fields): Check | undefined {
  const standard = schema["~standard"];
  if (!hasFields(standard) || typeof standard["validate"] !== "function") return undefined;
  const validate = standard["validate"];
  return async (args) => {
    // The result type of Standard Schema.
    const result = (await validate(args)) as { readonly value?: unknown; readonly issues?: readonly Issue[] };
    if (result.issues !== undefined) throw invalid(result.issues.map(describeIssue).join("; "));
    return result.value;
  };
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

function describeIssue({ message, path = [] }: Issue): string {
  const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
}

/** The result type of the AI SDK. */
function readOutcome(outcome: unknown, args: unknown): unknown {
  if (!hasFields(outcome)) return args;
  if (outcome["success"] !== true) throw invalid(String(outcome["error"] ?? "they do not match the schema."));
  return outcome["value"];
}

/** Returns undefined when the schema uses features that zod cannot check. */
async function zodFromJsonSchema(schema: unknown): Promise<object | undefined> {
  try {
    const { z } = await import("zod");
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return undefined;
  }
}

function invalid(message: string): Error {
  const error = new Error(`The arguments are not valid: ${message}`);
  error.name = "InvalidArguments";
  return error;
}

function requireObject(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("The schema is not JSON Schema.");
  }
  return value;
}

function isZod(value: unknown): boolean {
  return hasFields(value) && "_zod" in value;
}

function hasFields(value: unknown): value is Fields {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
