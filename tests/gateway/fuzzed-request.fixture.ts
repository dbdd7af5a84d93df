import { Role } from "@skillhold/protocol";
import { type Operation, type Route, routeTable } from "@skillhold/protocol/http";
import fc from "fast-check";
import { generateSync, type JsonSchema } from "json-schema-faker";

/** An operation of the OpenAPI document. */
export interface FuzzedOperation {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JsonSchema }[];
  readonly body: JsonSchema | undefined;
  readonly isArchive: boolean;
}

export interface FuzzedRequest {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly role: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
}

interface DocumentOperation {
  readonly operationId: Operation;
  readonly parameters?: FuzzedOperation["parameters"];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

export function readOperations(document: unknown): readonly FuzzedOperation[] {
  // Another test validates the document.
  const { paths } = document as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: operation, parameters = [], requestBody }]) => {
      const row: Route = routeTable[operation];
      const body = requestBody?.content["application/json"]?.schema;
      return {
        operation,
        method: method.toUpperCase(),
        path,
        parameters,
        body,
        isArchive: row.body === "archive",
      };
    }),
  );
}

const known = ["pdf", "notes", "open", "scripts/a.py", "SKILL.md", "1", "2", "agent", "user", "ada", "admin"];
const hostile = [
  "",
  "..",
  "%2e%2e%2f",
  "../../etc/passwd",
  "a\0b",
  "\ud800",
  "__proto__",
  "constructor",
  "' or 1=1 --",
  "-1",
  "1e309",
  "null",
  "{}",
  "a".repeat(5000),
  "\r\nx: y",
  "💥",
];

/** A value that fits the schema, a known value, or a hostile one. */
function fuzzedValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.nat().map((seed) => generate(schema, seed)) },
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary" })) },
  );
}

/** Operations with nested lists of long texts, whose largest bodies take minutes to generate. */
const shortLists: ReadonlyMap<Operation, number> = new Map([
  ["createProposal", 5],
  ["addEval", 5],
]);

function generate(schema: JsonSchema, seed: number, maxItems?: number): unknown {
  return generateSync(schema, { seed, ...(maxItems === undefined ? {} : { maxItems }) });
}

/** What a body becomes when someone plays with it. */
const bent: fc.Arbitrary<(value: unknown) => unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((value: unknown) => value) },
  { weight: 1, arbitrary: fc.json().map((text) => () => JSON.parse(text) as unknown) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("role", "user", "enabled", "__proto__", "name", "id"),
        fc.constantFrom(...hostile, ...known),
      )
      .map(([key, text]) => (value: unknown) => ({ ...(value as object), [key]: text })),
  },
);

const headers = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ "if-match": '"x"' }, { "if-none-match": "*" }, { range: "bytes=5-" }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ "content-type": "text/plain" }, { range: "bytes=9-1,0-" }) },
);

/** A request for one of the operations. */
export function fuzzedRequest(operations: readonly FuzzedOperation[]): fc.Arbitrary<FuzzedRequest> {
  return fc.constantFrom(...operations).chain((operation) => {
    const values = fc.tuple(...operation.parameters.map(({ schema }) => fuzzedValue(schema)));
    const kept = fc.tuple(...operation.parameters.map(() => fc.boolean()));
    const role = fc.constantFrom(...Role.options, "admin", "admin", "nobody");
    return fc
      .tuple(values, kept, bodyOf(operation), role, headers)
      .map(([given, isGiven, body, who, more]) => ({
        operation: operation.operation,
        method: operation.method,
        path: addressOf(operation, given, isGiven),
        role: who,
        headers: {
          ...(body === undefined
            ? {}
            : { "content-type": operation.isArchive ? "application/zip" : "application/json" }),
          ...more,
        },
        body,
      }));
  });
}

function bodyOf({ operation, body, isArchive }: FuzzedOperation): fc.Arbitrary<FuzzedRequest["body"]> {
  if (isArchive) return fc.uint8Array({ maxLength: 500 }).map((bytes) => new Uint8Array(bytes));
  if (body === undefined) return fc.constant(undefined);
  return fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.nat(), bent)
        .map(
          ([seed, bend]) => JSON.stringify(bend(generate(body, seed, shortLists.get(operation)))) ?? "null",
        ),
    },
    { weight: 1, arbitrary: fc.string() },
  );
}

function addressOf(
  { path, parameters }: FuzzedOperation,
  values: readonly unknown[],
  isGiven: readonly boolean[],
): string {
  let filled = path;
  const query = new URLSearchParams();
  for (const [at, { name, in: place }] of parameters.entries()) {
    const text = String(values[at] ?? "");
    const safe = encodeURIComponent(text.toWellFormed());
    // An empty part, and one of dots alone, make another path.
    if (place === "path") filled = filled.replace(`{${name}}`, /^\.{0,2}$/.test(safe) ? "-" : safe);
    else if (place === "query" && isGiven[at] === true) query.append(name, text.toWellFormed());
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}
