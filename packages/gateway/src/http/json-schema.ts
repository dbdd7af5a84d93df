import { Diagnostic, SkillEntry, SkillEvent } from "@skillhold/protocol";
import {
  AgentView,
  Problem,
  Publication,
  RevisionView,
  SkillFile,
  SkillMetrics,
  SkillRow,
  TokenView,
} from "@skillhold/protocol/http";
import { z } from "zod";

export interface Schema extends Readonly<Record<string, unknown>> {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** What is spelled out once and referred to elsewhere. */
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

/** The schemas that others refer to, by name. */
export function namedSchemas(): Readonly<Record<string, Schema>> {
  return Object.fromEntries([...named].map(([schema, name]) => [name, spellOut(schema, "output")]));
}

/** A schema as OpenAPI 3.1 has it. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): Schema {
  const name = named.get(schema);
  return name === undefined ? spellOut(schema, io) : referTo(name);
}

function spellOut(schema: z.core.$ZodType, io: "input" | "output"): Schema {
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
      // What is read may have more in it later.
      else if (io === "output" && each.additionalProperties === false) delete each.additionalProperties;
    },
  });
  // What is left of references is to any JSON value, which refers to itself without end.
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
