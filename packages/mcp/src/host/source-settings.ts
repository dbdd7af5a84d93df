import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { findHeaderProblem } from "./header.ts";
import { isSourceLabel } from "./mcp-source.ts";
import { refuse } from "./refusal.ts";
import type { ServerAddress } from "./server-address.ts";
import { findSkillUriProblem } from "./skill-uri.ts";

const Label = z.string().refine(isSourceLabel, "is not a valid source label");
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** Program arguments cannot contain NUL. */
const Word = z
  .string()
  .max(8192)
  .regex(/^[^\0]*$/);

/** URIs of skills that the server does not have to list. */
const skills = z
  .array(z.string().refine((uri) => findSkillUriProblem(uri) === undefined, "is not the URI of a skill"))
  .readonly()
  .optional();

const Program = z.strictObject({
  kind: z.literal("mcp"),
  label: Label,
  skills,
  command: Word.min(1),
  args: z.array(Word).readonly(),
  /** Names of the variables that are passed to the server. */
  env: z.array(VariableName).readonly(),
  cwd: Word.min(1),
});

const Address = z.strictObject({
  kind: z.literal("mcp"),
  label: Label,
  skills,
  url: z.string().refine((url) => findUrlProblem(url) === undefined, "is not an allowed URL"),
  headers: z.record(z.string(), z.string()).refine(hasPlainHeaders, "has an invalid header"),
  /** By header name: the variable with its value. */
  headerEnv: z.record(z.string(), VariableName).refine(hasPlainNames, "has an invalid header"),
});

/** The stored settings of a source. They contain names of variables, and no secrets. */
export const SourceSettings = z.union([Program, Address]);
export type SourceSettings = Readonly<z.infer<typeof SourceSettings>>;

const SourceList = z.strictObject({ version: z.literal(1), sources: z.array(SourceSettings).readonly() });

/** Parses a source list. Throws when any part is invalid. */
export function readSourceList(text: string, path: string): readonly SourceSettings[] {
  const parsed = SourceList.safeParse(parseJson(text, path));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(
      path,
      `${issue?.path.join(".") || "the file"}: ${issue?.message ?? "is not a list of sources"}`,
    );
  }
  const { sources } = parsed.data;
  const repeated = sources.find(({ label }, at) => sources.findIndex((each) => each.label === label) !== at);
  if (repeated !== undefined) throw invalid(path, `the label ${repeated.label} is used more than once`);
  return sources;
}

export function writeSourceList(sources: readonly SourceSettings[]): string {
  return `${JSON.stringify({ version: 1, sources }, undefined, 2)}\n`;
}

/** The server of a source, with the values of its variables. Throws when a variable is missing. */
export function serverOf(
  settings: SourceSettings,
  env: Readonly<Record<string, string | undefined>>,
): ServerAddress {
  if ("command" in settings) {
    const { command, args, env: names, cwd } = settings;
    const common = COMMON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    const given = names.map((name) => [name, getVariable(name, env)] as const);
    return { command, args, env: Object.fromEntries([...common, ...given]), cwd };
  }
  const { url, headers, headerEnv } = settings;
  const secret = Object.entries(headerEnv).map(([name, variable]) => {
    const value = getVariable(variable, env);
    if (findHeaderProblem(name, value) === undefined) return [name, value] as const;
    throw refuse("MCP_VARIABLE_MISSING", `The value of ${variable} is not valid for the header ${name}.`);
  });
  return { url, headers: { ...headers, ...Object.fromEntries(secret) } };
}

/** Variables that every program gets. */
const COMMON = ["PATH", "HOME", "LANG"];

/** Why a URL is not allowed, or undefined. Plain HTTP is allowed only for this machine. */
export function findUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "is not a URL";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "is neither https nor http";
  if (username !== "" || password !== "") return "contains credentials";
  if (hash !== "") return "has a fragment";
  return protocol === "http:" && !LOOPBACK.test(hostname)
    ? "is not encrypted and not on this machine"
    : undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function hasPlainHeaders(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).every(([name, value]) => findHeaderProblem(name, value) === undefined);
}

function hasPlainNames(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).every((name) => findHeaderProblem(name, "") === undefined);
}

function getVariable(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  throw refuse("MCP_VARIABLE_MISSING", `The variable ${name} of the source is not set.`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(path, "the file is not valid JSON", error);
  }
}

function invalid(path: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `The source list ${path} is invalid: ${problem}.`, {
    hint: "Fix or remove the file, or run without it: --no-mcp.",
    details: { path },
    cause,
  });
}
