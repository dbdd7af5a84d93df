import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { findHeaderProblem } from "./header.ts";
import { isSourceLabel } from "./mcp-source.ts";
import { refuse } from "./refusal.ts";
import type { ServerAddress } from "./server-address.ts";
import { findSkillUriProblem } from "./skill-uri.ts";

const Label = z.string().refine(isSourceLabel, "is not the label of a source");
const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
/** Arguments of a program cannot have a byte of zero. */
const Word = z
  .string()
  .max(8192)
  .regex(/^[^\0]*$/);

/** Addresses of skills that the server need not list. */
const skills = z
  .array(z.string().refine((uri) => findSkillUriProblem(uri) === undefined, "is not the address of a skill"))
  .readonly()
  .optional();

const Program = z.strictObject({
  kind: z.literal("mcp"),
  label: Label,
  skills,
  command: Word.min(1),
  args: z.array(Word).readonly(),
  /** Names of variables that are handed on as they are when the server is started. */
  env: z.array(VariableName).readonly(),
  cwd: Word.min(1),
});

const Address = z.strictObject({
  kind: z.literal("mcp"),
  label: Label,
  skills,
  url: z.string().refine((url) => findUrlProblem(url) === undefined, "is not an address that may be asked"),
  headers: z.record(z.string(), z.string()).refine(hasPlainHeaders, "has a header that cannot be sent"),
  /** By the name of the header: the variable that holds its value when the server is asked. */
  headerEnv: z.record(z.string(), VariableName).refine(hasPlainNames, "has a header that cannot be sent"),
});

/** A source as it is kept: it holds no secret, only the names of variables that do. */
export const SourceSettings = z.union([Program, Address]);
export type SourceSettings = Readonly<z.infer<typeof SourceSettings>>;

const SourceList = z.strictObject({ version: z.literal(1), sources: z.array(SourceSettings).readonly() });

/** Reads the text of a list of sources, or fails: what cannot be read whole is not used in part. */
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
  if (repeated !== undefined) throw invalid(path, `the label ${repeated.label} is there more than once`);
  return sources;
}

export function writeSourceList(sources: readonly SourceSettings[]): string {
  return `${JSON.stringify({ version: 1, sources }, undefined, 2)}\n`;
}

/** Where the server of a source is, with what it is handed out of these variables. Fails when one is missing. */
export function serverOf(
  settings: SourceSettings,
  env: Readonly<Record<string, string | undefined>>,
): ServerAddress {
  if ("command" in settings) {
    const { command, args, env: names, cwd } = settings;
    const usual = USUAL.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
    const given = names.map((name) => [name, getVariable(name, env)] as const);
    return { command, args, env: Object.fromEntries([...usual, ...given]), cwd };
  }
  const { url, headers, headerEnv } = settings;
  const secret = Object.entries(headerEnv).map(([name, variable]) => {
    const value = getVariable(variable, env);
    if (findHeaderProblem(name, value) === undefined) return [name, value] as const;
    throw refuse("MCP_VARIABLE_MISSING", `The value of ${variable} cannot be sent as the header ${name}.`);
  });
  return { url, headers: { ...headers, ...Object.fromEntries(secret) } };
}

/** What every program gets, where it is there. */
const USUAL = ["PATH", "HOME", "LANG"];

/** Why an address may not be asked, or undefined. Over plain HTTP only this machine is spoken to. */
export function findUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "is not an address";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "is neither https nor http";
  if (username !== "" || password !== "") return "has credentials in it";
  if (hash !== "") return "has a fragment";
  return protocol === "http:" && !LOOPBACK.test(hostname)
    ? "is not encrypted, and not of this machine"
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
  throw refuse("MCP_VARIABLE_MISSING", `The variable ${name}, which the source names, is not set.`);
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(path, "it is not JSON", error);
  }
}

function invalid(path: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `The list of sources ${path} cannot be read: ${problem}.`, {
    hint: "Correct or remove the file; --no-mcp goes on without it.",
    details: { path },
    cause,
  });
}
