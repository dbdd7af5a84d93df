import { Diagnostic, SkillEntry, SkillEvent } from "@skillhold/protocol";
import { type ErrorCode, errorTable } from "@skillhold/protocol/error";
import {
  AgentView,
  Problem,
  Publication,
  RevisionView,
  type Route,
  routeTable,
  SkillFile,
  SkillMetrics,
  SkillRow,
  TokenView,
} from "@skillhold/protocol/http";
import { z } from "zod";

export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: Readonly<Record<string, unknown>>;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

export interface OpenApiOperation extends Readonly<Record<string, unknown>> {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
}

/** The route table as an OpenAPI 3.1 document. */
export function openApi(version: string): OpenApi {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const [operation, row] of Object.entries<Route>(routeTable)) {
    const methods = paths[row.path] ?? {};
    paths[row.path] = methods;
    methods[row.method.toLowerCase()] = describe(operation, row);
  }
  const tags = [...new Set(Object.values(routeTable).map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Skillhold",
      version,
      summary: "Skills for AI agents: find, read, run, publish and audit them",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags,
    paths,
    components: {
      schemas: namedSchemas(),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token from `skillhold token create`." },
        browser: {
          type: "apiKey",
          in: "cookie",
          name: "skillhold",
          description: "A browser session. Every request also needs the header X-Skillhold-Csrf.",
        },
      },
    },
  };
}

function describe(operation: string, row: Route): OpenApiOperation {
  const isOpen = row.roles === "anyone";
  return {
    operationId: operation,
    summary: row.summary,
    tags: [row.tag],
    "x-skillhold-roles": row.roles,
    security: isOpen ? [] : [{ token: [] }, { browser: [] }],
    ...listed("parameters", parametersOf(row)),
    ...(row.body === undefined ? {} : { requestBody: bodyOf(row.body) }),
    responses: responsesOf(row),
  };
}

function listed(key: string, items: readonly unknown[]): Readonly<Record<string, unknown>> {
  return items.length === 0 ? {} : { [key]: items };
}

function parametersOf({ params, query, condition }: Route): readonly unknown[] {
  const header = condition === "read" ? "If-None-Match" : "If-Match";
  return [
    ...fieldsOf(params).map(([name, schema]) => ({ name, in: "path", required: true, schema })),
    ...fieldsOf(query).map(([name, schema, required]) => ({ name, in: "query", required, schema })),
    ...(condition === undefined
      ? []
      : [{ name: header, in: "header", required: false, schema: { type: "string" } }]),
  ];
}

function fieldsOf(object: z.ZodObject | undefined): readonly [string, Schema, boolean][] {
  if (object === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(object, "input");
  return Object.entries(properties).map(([name, schema]) => [name, schema, required.includes(name)]);
}

function bodyOf(body: NonNullable<Route["body"]>): unknown {
  if (body !== "archive")
    return {
      required: !body.safeParse(undefined).success,
      content: { "application/json": { schema: jsonSchema(body, "input") } },
    };
  const bytes = { schema: { type: "string", format: "binary" } };
  return { required: true, content: { "application/zip": bytes, "application/gzip": bytes } };
}

function responsesOf(row: Route): Readonly<Record<string, unknown>> {
  const responses: Record<string, unknown> = {
    [row.status ?? (row.answer === "nothing" ? 204 : 200)]: successOf(row),
  };
  if (row.condition === "read") responses["304"] = { description: "Your copy is current." };
  for (const [status, codes] of byStatus(codesOf(row)))
    responses[status] = {
      description: codes.join(", "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    };
  return responses;
}

function successOf({ answer, summary }: Route): unknown {
  if (answer === "nothing") return { description: summary };
  if (answer === "bytes")
    return { description: summary, content: { "*/*": { schema: { type: "string", format: "binary" } } } };
  return { description: summary, content: { "application/json": { schema: jsonSchema(answer, "output") } } };
}

const commonCodes: readonly ErrorCode[] = [
  "USAGE",
  "ORIGIN_REFUSED",
  "RATE_LIMITED",
  "INTERNAL",
  "STORE_FAILED",
];

function codesOf({ roles, body, condition, errors = [] }: Route): readonly ErrorCode[] {
  return [
    ...commonCodes,
    ...(roles === "anyone" ? [] : (["UNAUTHENTICATED", "FORBIDDEN"] as const)),
    ...(body === undefined ? [] : (["MEDIA_TYPE_REFUSED", "LIMIT_EXCEEDED"] as const)),
    ...(condition === "write" ? (["PRECONDITION_FAILED"] as const) : []),
    ...errors,
  ];
}

function byStatus(codes: readonly ErrorCode[]): ReadonlyMap<string, readonly ErrorCode[]> {
  return Map.groupBy(new Set(codes), (code) => String(errorTable[code].status));
}

interface Schema extends Readonly<Record<string, unknown>> {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Schemas that the document defines once and references elsewhere. */
const named: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [AgentView, "Agent"],
  [Diagnostic, "Diagnostic"],
  [Problem, "Problem"],
  [Publication, "Publication"],
  [RevisionView, "Revision"],
  [SkillEntry, "SkillEntry"],
  [SkillEvent, "SkillEvent"],
  [SkillFile, "SkillFile"],
  [SkillMetrics, "SkillMetrics"],
  [SkillRow, "SkillRow"],
  [TokenView, "Token"],
]);

/** The named schemas, for the components of the document. */
function namedSchemas(): Readonly<Record<string, Schema>> {
  return Object.fromEntries([...named].map(([schema, name]) => [name, defineSchema(schema, "output")]));
}

/** A schema of OpenAPI 3.1. */
function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const name = named.get(schema);
  return name === undefined ? defineSchema(schema, io) : referTo(name);
}

function defineSchema(schema: z.core.$ZodType, io: "input" | "output"): Schema {
  const {
    $schema: _dialect,
    $defs: _recursive,
    ...json
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema: each }) => {
      const name = zodSchema === schema ? undefined : named.get(zodSchema);
      if (name !== undefined) replace(each, referTo(name));
      // A response may get more fields in a later version.
      else if (io === "output" && each.additionalProperties === false) delete each.additionalProperties;
    },
  });
  // The only references left are to the JSON value type, which is recursive.
  const text = JSON.stringify(json, (_key, value) => (isRecursive(value) ? {} : value));
  return JSON.parse(text);
}

function referTo(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function replace(target: object, source: Schema): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, source);
}

function isRecursive(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("$ref" in value)) return false;
  return typeof value.$ref === "string" && value.$ref.startsWith("#/$defs/");
}
