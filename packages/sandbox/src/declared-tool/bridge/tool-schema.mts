/** What a tool takes: as JSON Schema for the host, and as a check of the arguments before the tool runs. */
export interface ToolInput {
  readonly schema: object;
  /** Gives the arguments as the schema leaves them, with its defaults; throws what is wrong with them. */
  parse(args: unknown): Promise<unknown>;
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (args: unknown) => Promise<unknown>;

/** What a tool takes that wants one text: models give every tool an object. */
export const TEXT_INPUT = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
} as const;

/** Reads zod, Standard Schema, the AI SDK's schemas, a record of zod types, and JSON Schema itself. */
export async function readInput(source: unknown): Promise<ToolInput> {
  if (source === undefined)
    return { schema: { type: "object", properties: {} }, parse: async (args) => args };
  const schema = await normalize(source);
  return { schema: asObjectSchema(await toJsonSchema(schema, "input")), parse: await checkOf(schema) };
}

/** An output's schema is a description only: one that cannot be written as JSON Schema is left out. */
export async function describeOutput(source: unknown): Promise<object | undefined> {
  if (source === undefined) return undefined;
  try {
    return await toJsonSchema(await normalize(source), "output");
  } catch {
    return undefined;
  }
}

/** Parses by the schema's own rules where it has them; a schema that is only described is not checked. */
export async function parseWith(source: unknown, args: unknown): Promise<unknown> {
  const check = hasFields(source) ? standardCheck(source) : undefined;
  return check === undefined ? args : check(args);
}

async function normalize(source: unknown): Promise<Fields> {
  // The AI SDK makes some schemas when they are first asked for.
  if (typeof source === "function" && !("~standard" in source)) return normalize(await source());
  if (!hasFields(source)) throw new Error("Its schema is not an object.");
  if (isLangChainText(source)) return TEXT_INPUT;
  const members = Object.values(source);
  if ("_zod" in source || members.length === 0 || !members.every((member) => isZod(member))) return source;
  const { z } = await import("zod");
  // Every member is a zod type, as was just seen.
  return z.object(source as Record<string, never>) as unknown as Fields;
}

/** LangChain describes a tool that takes one text by a type of zod 3, which cannot be written as JSON Schema. */
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
    // `isZod` has seen that it is one.
    return z.toJSONSchema(schema as never, { io, unrepresentable: "any" });
  }
  const standard = schema["~standard"];
  const describe =
    hasFields(standard) && hasFields(standard["jsonSchema"]) ? standard["jsonSchema"][io] : undefined;
  if (typeof describe === "function") return requireObject(describe({ target: "draft-2020-12" }));
  if (standard !== undefined || typeof schema["safeParse"] === "function") {
    throw new Error("Its schema cannot be written as JSON Schema; zod 4 or JSON Schema can.");
  }
  return requireObject("jsonSchema" in schema ? await schema["jsonSchema"] : schema);
}

/** Models give a tool an object; an alternative of objects says so only within. */
function asObjectSchema(schema: object): object {
  const fields: Fields = { ...schema };
  if (fields["type"] === "object") return schema;
  if (fields["type"] === undefined) return { type: "object", ...schema };
  throw new Error("Its input has to be an object.");
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
    // It is only looked at: a tool with a plain schema gets what was sent.
    if (zodSchema !== undefined) await parseWith(zodSchema, args);
    return args;
  };
}

function standardCheck(schema: Fields): Check | undefined {
  const standard = schema["~standard"];
  if (!hasFields(standard) || typeof standard["validate"] !== "function") return undefined;
  const validate = standard["validate"];
  return async (args) => {
    // The result that Standard Schema defines.
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

/** The AI SDK's own kind of answer. */
function readOutcome(outcome: unknown, args: unknown): unknown {
  if (!hasFields(outcome)) return args;
  if (outcome["success"] !== true) throw invalid(String(outcome["error"] ?? "They do not fit its schema."));
  return outcome["value"];
}

/** Nothing when the schema uses what zod cannot check. */
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
    throw new Error("Its schema is not JSON Schema.");
  }
  return value;
}

function isZod(value: unknown): boolean {
  return hasFields(value) && "_zod" in value;
}

function hasFields(value: unknown): value is Fields {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
