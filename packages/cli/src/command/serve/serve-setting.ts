import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { dataFolder, ioFailure } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { parse } from "yaml";
import { z } from "zod";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";
import type { Io } from "../../terminal/output.ts";
import { SsoFile } from "./sso-option.ts";
import { WebhookFile } from "./webhook-setting.ts";

type Options = CommandInput["options"];

const SWITCHES: ReadonlySet<string> = new Set(["seed", "watch"]);
const MAX_BYTES = 1024 * 1024;

/** The configuration file of `serve`. Its keys are the command's options. */
export const ServeFile = z
  .strictObject({
    $schema: z.string().describe("the address of this schema, for editors"),
    port: z.int().min(0).max(65_535).describe("listen on this port; 0 for any"),
    host: z.string().min(1).describe("listen on this address"),
    data: z.string().min(1).describe("store all data in this folder"),
    store: z.string().min(1).describe("use this store, sqlite:<file> or postgres://…"),
    roots: z.array(z.string().min(1)).describe("also serve the skills of these folders"),
    workspaces: z.string().min(1).describe("host the workspaces in this folder"),
    upstreams: z.array(z.string().min(1)).describe("also serve the skills of these gateways"),
    allowHosts: z.array(z.string().min(1)).describe("also accept requests for these hosts"),
    allowOrigins: z.array(z.string().min(1)).describe("let pages of these origins call the gateway"),
    behindTls: z.boolean().describe("use https links and cookies, because a proxy terminates TLS"),
    insecureBind: z.boolean().describe("listen on a reachable address without TLS"),
    retention: z
      .strictObject({
        auditDays: z
          .int()
          .min(1)
          .max(36_500)
          .describe("prune records of use in the audit log after this many days; by default never"),
        outputsDays: z
          .int()
          .min(1)
          .max(36_500)
          .describe("delete the output of runs in sessions after this many days; by default 30"),
      })
      .partial()
      .describe("how long old data is kept"),
    sso: SsoFile.describe("sign people in with an OpenID Connect provider"),
    limits: z.record(z.string(), z.int().min(0)).describe("set limits that /v1/status lists"),
    discovery: z.boolean().describe("list public skills for anonymous clients"),
    webhookHosts: z.array(z.string().min(1)).describe("let webhooks notify these private hosts"),
    webhooks: z.array(WebhookFile).describe("notify these servers; those of an earlier file are removed"),
    seed: z.boolean().describe("publish the bundled skills"),
    watch: z.boolean().describe("watch the served folders for changes"),
    strict: z.boolean().describe("reject skills of the served folders that break the specification"),
    governed: z.boolean().describe("serve only reviewed content of the served folders"),
  })
  .partial();
type ServeFile = z.infer<typeof ServeFile>;

/**
 * The options of `serve` from the command line, then from variables, then from the configuration file. Paths in the file
 * are relative to the file.
 */
export function withSettings(options: Options, io: Pick<Io, "env" | "cwd">): Options {
  const variables = readVariables(io);
  const file = findFile(options, variables, io);
  const settings = file === undefined ? {} : toOptions(fromFolder(readFile(file), dirname(file)));
  // A `--no-` option only ever turns its setting off; without it, the parser sets the setting to true.
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !(SWITCHES.has(name) && value === true),
  );
  return { ...settings, ...toOptions(variables), ...Object.fromEntries(given) };
}

/** The named file must exist; the one in the data folder may. */
function findFile(
  options: Options,
  { data }: ServeFile,
  { env, cwd }: Pick<Io, "env" | "cwd">,
): string | undefined {
  const named = textOption(options, "config") ?? (env["SKILLHOLD_CONFIG"] || undefined);
  if (named !== undefined) return resolve(cwd, named);
  const chosen = textOption(options, "data") ?? data;
  const folder = chosen === undefined ? dataFolder(env) : resolve(cwd, chosen);
  const path = join(folder, "serve.yaml");
  return existsSync(path) ? path : undefined;
}

function readFile(path: string): ServeFile {
  const value = parseYaml(readText(path), path);
  const { success, data, error } = ServeFile.safeParse(value, { reportInput: true });
  if (success) return data;
  const [issue] = error.issues;
  throw invalid(path, issue === undefined ? "a value is invalid" : describeIssue(issue), error);
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 }) ?? {};
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw invalid(path, `the YAML is not valid: ${line.replace(/[.:]$/, "")}`, error);
  }
}

/** The path of the field, then its value and the accepted ones. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const at = issue.path.length === 0 ? "the file" : issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return `${[...issue.path, issue.keys[0] ?? ""].join(".")} is not a known key`;
  if (issue.code === "invalid_type" && issue.input === undefined) return `${at} is missing`;
  const shown = `${at} is ${(JSON.stringify(issue.input) ?? "unknown").slice(0, 80)}`;
  switch (issue.code) {
    case "invalid_type":
      return `${shown}, and must be ${TYPES.get(issue.expected) ?? `of the type ${issue.expected}`}`;
    case "too_small":
      return `${shown}, and must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `${shown}, and must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_value":
      return `${shown}, and must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    default:
      return `${shown}, and is not accepted`;
  }
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["int", "a whole number"],
  ["number", "a number"],
  ["string", "a text"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "a list of keys and values"],
  ["record", "a list of keys and values"],
]);

/** The unit of a bound of this type. */
function unitOf(origin: string): string {
  return origin === "string" ? " characters long" : origin === "array" ? " entries long" : "";
}

function readText(path: string): string {
  try {
    if (statSync(path).size <= MAX_BYTES) return readFileSync(path, "utf8");
  } catch (error) {
    throw ioFailure(`${path} cannot be read`, error);
  }
  throw invalid(path, `the file is larger than ${MAX_BYTES} bytes`);
}

function invalid(path: string, problem: string, cause?: unknown): SkillError {
  return new SkillError("CONFIG_INVALID", `${path} is invalid: ${problem}.`, {
    hint: "Correct the file. docs/reference/serve.schema.json describes its keys.",
    details: { path },
    cause,
  });
}

function fromFolder(file: ServeFile, folder: string): ServeFile {
  const { data, roots, store, workspaces, sso, webhooks } = file;
  const secret = sso?.clientSecretFile;
  const sqlite = /^sqlite:(.+)$/.exec(store ?? "")?.[1];
  return {
    ...file,
    ...(secret === undefined ? {} : { sso: { ...sso, clientSecretFile: resolve(folder, secret) } }),
    ...(webhooks === undefined
      ? {}
      : {
          webhooks: webhooks.map((each) => ({ ...each, secretFile: resolve(folder, each.secretFile) })),
        }),
    ...(data === undefined ? {} : { data: resolve(folder, data) }),
    ...(roots === undefined ? {} : { roots: roots.map((root) => resolve(folder, root)) }),
    ...(workspaces === undefined ? {} : { workspaces: resolve(folder, workspaces) }),
    ...(sqlite === undefined ? {} : { store: `sqlite:${resolve(folder, sqlite)}` }),
  };
}

/** `SKILLHOLD_STORE` and `SKILLHOLD_DATA` are read by every command, and not here. */
function readVariables({ env }: Pick<Io, "env">): ServeFile {
  const text = (name: string) => env[`SKILLHOLD_${name}`] || undefined;
  const list = (name: string, separator = ",") =>
    text(name)
      ?.split(separator)
      .filter((item) => item !== "");
  const flag = (name: string) => {
    const value = text(name);
    if (value === undefined || /^(?:1|true|0|false)$/.test(value)) return value && /^(?:1|true)$/.test(value);
    throw new SkillError("CONFIG_INVALID", `SKILLHOLD_${name} is ${JSON.stringify(value.slice(0, 40))}.`, {
      hint: "Set it to 1 or 0.",
    });
  };
  const number = (name: string) => {
    const value = text(name);
    return value === undefined ? undefined : Number(value);
  };
  const found = {
    port: number("PORT"),
    retention: { auditDays: number("AUDIT_DAYS"), outputsDays: number("OUTPUTS_DAYS") },
    host: text("HOST"),
    roots: list("ROOTS", delimiter),
    workspaces: text("WORKSPACES"),
    upstreams: list("UPSTREAMS"),
    allowHosts: list("ALLOW_HOSTS"),
    allowOrigins: list("ALLOW_ORIGINS"),
    webhookHosts: list("WEBHOOK_HOSTS"),
    behindTls: flag("BEHIND_TLS"),
    insecureBind: flag("INSECURE_BIND"),
    discovery: flag("DISCOVERY"),
    seed: flag("SEED"),
    watch: flag("WATCH"),
    strict: flag("STRICT"),
    governed: flag("GOVERNED"),
  };
  const present = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  const parsed = ServeFile.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new SkillError(
    "CONFIG_INVALID",
    `A SKILLHOLD_ variable is invalid: ${parsed.error.issues[0]?.message}.`,
    {
      hint: "SKILLHOLD_PORT is a number from 0 to 65535, SKILLHOLD_AUDIT_DAYS and SKILLHOLD_OUTPUTS_DAYS are numbers from 1 to 36500.",
    },
  );
}

function toOptions({
  port,
  roots,
  upstreams,
  allowHosts,
  allowOrigins,
  webhookHosts,
  limits,
  retention,
  $schema: _,
  ...same
}: ServeFile): Options {
  const entries = {
    ...same,
    port: port?.toString(),
    root: roots,
    upstream: upstreams,
    allowHost: allowHosts,
    allowOrigin: allowOrigins,
    webhookHost: webhookHosts,
    auditDays: retention?.auditDays?.toString(),
    outputsDays: retention?.outputsDays?.toString(),
    limit: limits && Object.entries(limits).map(([name, value]) => `${name}=${value}`),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}
