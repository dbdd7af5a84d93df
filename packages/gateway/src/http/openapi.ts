import { type ErrorCode, errorTable } from "@skillhold/protocol/error";
import { type Route, routeTable } from "@skillhold/protocol/http";
import type { z } from "zod";
import { jsonSchema, namedSchemas, type Schema } from "./json-schema.ts";

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

/** The table of routes as OpenAPI 3.1. */
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
        token: { type: "http", scheme: "bearer", description: "As `skillhold token create` made it." },
        browser: {
          type: "apiKey",
          in: "cookie",
          name: "skillhold",
          description: "A browser's session; every call needs the header X-Skillhold-Csrf as well.",
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
    [row.status ?? (row.answer === "nothing" ? 204 : 200)]: goodOf(row),
  };
  if (row.condition === "read") responses["304"] = { description: "It is what you have." };
  for (const [status, codes] of byStatus(codesOf(row)))
    responses[status] = {
      description: codes.join(", "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    };
  return responses;
}

function goodOf({ answer, summary }: Route): unknown {
  if (answer === "nothing") return { description: summary };
  if (answer === "bytes")
    return { description: summary, content: { "*/*": { schema: { type: "string", format: "binary" } } } };
  return { description: summary, content: { "application/json": { schema: jsonSchema(answer, "output") } } };
}

const always: readonly ErrorCode[] = ["USAGE", "ORIGIN_REFUSED", "RATE_LIMITED", "INTERNAL", "STORE_FAILED"];

function codesOf({ roles, body, condition, errors = [] }: Route): readonly ErrorCode[] {
  return [
    ...always,
    ...(roles === "anyone" ? [] : (["UNAUTHENTICATED", "FORBIDDEN"] as const)),
    ...(body === undefined ? [] : (["MEDIA_TYPE_REFUSED", "LIMIT_EXCEEDED"] as const)),
    ...(condition === "write" ? (["PRECONDITION_FAILED"] as const) : []),
    ...errors,
  ];
}

function byStatus(codes: readonly ErrorCode[]): ReadonlyMap<string, readonly ErrorCode[]> {
  return Map.groupBy(new Set(codes), (code) => String(errorTable[code].status));
}
