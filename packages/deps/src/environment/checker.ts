import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { modulePlaces, type Need, type NeedCheck } from "@skillhold/core/dependency";
import type { IndexCache } from "@skillhold/core/library";
import type { RuntimeKind, Sandbox } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Runtime } from "@skillhold/sandbox/backend";
import { environmentPlaces } from "./environment-folder.ts";
import { askProbe, type ProbeAnswer, type ProbeLanguage } from "./probe.ts";
import type { ProbeGroup } from "./probe-script.ts";
import { findProgram, findSandboxProgram } from "./runtimes.ts";

export interface CheckRequest {
  /** Identifies the request within one call. */
  readonly id: string;
  /** The skill's folder, or a function that opens it when the cache has no answer. */
  readonly folder: string | (() => Promise<string>);
  readonly needs: readonly Need[];
  /** The folder that `findEnvironment` returned. */
  readonly environment?: string;
  /** The skill's tree hash. Without it, answers are not cached. */
  readonly content?: string;
}

export interface CheckResult {
  readonly id: string;
  /** One check per need, in the same order. */
  readonly checks: readonly NeedCheck[];
}

export interface CheckPorts {
  readonly sandbox: Sandbox;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
  readonly limits: Limits;
  readonly cache?: IndexCache;
  readonly signal?: AbortSignal;
}

/** The number of skills per process: each skill is a mount, and 100 mounts add no noticeable delay. */
export const CHECK_BATCH = 100;

/**
 * Checks the dependencies of skills as their scripts would find them in the sandbox, with one process per
 * language. A dependency that cannot be checked is unknown, never missing. Throws only when the signal
 * aborts.
 */
export async function checkDependencies(
  requests: readonly CheckRequest[],
  ports: CheckPorts,
): Promise<readonly CheckResult[]> {
  const [python, node] = await Promise.all([
    checkLanguage("python", requests, ports),
    checkLanguage("node", requests, ports),
  ]);
  ports.signal?.throwIfAborted();
  const checkNeed = (need: Need, request: CheckRequest): NeedCheck | Promise<NeedCheck> =>
    python.get(request)?.get(need) ??
    node.get(request)?.get(need) ??
    checkProgram(need, request.environment, ports);
  return await Promise.all(
    requests.map(async (request) => ({
      id: request.id,
      checks: await Promise.all(request.needs.map((need) => checkNeed(need, request))),
    })),
  );
}

type Checks = Map<CheckRequest, ReadonlyMap<Need, NeedCheck>>;

const KINDS: Readonly<Record<ProbeLanguage, Need["kind"]>> = { python: "pip", node: "npm" };

async function checkLanguage(
  language: ProbeLanguage,
  requests: readonly CheckRequest[],
  ports: CheckPorts,
): Promise<Checks> {
  const checks: Checks = new Map();
  const asking = requests
    .map((request) => questionOf(language, request))
    .filter(({ needs }) => needs.length > 0);
  if (asking.length === 0) return checks;
  const runtime = await ports.findRuntime(language).catch((error: unknown) => {
    if (error instanceof SkillError) return error.message;
    throw error;
  });
  if (typeof runtime === "string") {
    for (const question of asking) settle(checks, question, undefined, runtime);
    return checks;
  }
  const cache = openCheckCache(runtime, ports.cache);
  const open = await answerFromCache(asking, checks, cache);
  if (open.length === 0) return checks;
  const answer = await askAll(language, runtime, open, ports);
  for (const [at, question] of open.entries()) {
    const found = question.folder === undefined ? undefined : answer.groups.get(at);
    const problem = question.folder === undefined ? "the skill's folder cannot be read" : answer.problem;
    settle(checks, question, found, problem ?? "the interpreter gave no answer");
    if (found !== undefined) await cache.save(question, found, answer.sites);
  }
  return checks;
}

/** The needs of one skill in one language. */
interface Question extends CacheQuestion {
  readonly request: CheckRequest;
  readonly needs: readonly Need[];
  /** Relative to the skill. */
  readonly places: readonly string[];
  /** The real folders of the skill and its environment, when they exist. */
  readonly folder?: string | undefined;
  readonly site?: string | undefined;
}

function questionOf(language: ProbeLanguage, request: CheckRequest): Question {
  const needs = request.needs.filter(({ kind }) => kind === KINDS[language]);
  const files = needs.flatMap(({ seen = [] }) => seen.map(({ file }) => file));
  const places = modulePlaces(files).slice(0, MAX_PLACES);
  const { content, environment } = request;
  const queryText = JSON.stringify([language, places, needs.map((need) => [need.name, need.import])]);
  return { request, needs, places, content, environment, queryText };
}

const MAX_PLACES = 64;

function settle(
  checks: Checks,
  { needs, request }: Question,
  found: readonly boolean[] | undefined,
  problem: string,
): void {
  const check = (need: Need, isThere: boolean | undefined): NeedCheck =>
    isThere === undefined
      ? { need, answer: "unknown", reason: problem }
      : { need, answer: isThere ? "ok" : "missing" };
  checks.set(request, new Map(needs.map((need, at) => [need, check(need, found?.[at])])));
}

async function answerFromCache(
  asking: readonly Question[],
  checks: Checks,
  cache: CheckCache,
): Promise<readonly Question[]> {
  const open: Question[] = [];
  for (const question of asking) {
    const found = await cache.load(question);
    if (found?.length === question.needs.length) settle(checks, question, found, "");
    else open.push(await withFolder(question));
  }
  return open;
}

async function withFolder(question: Question): Promise<Question> {
  const { folder, environment } = question.request;
  const opened = typeof folder === "string" ? folder : await folder();
  return { ...question, folder: await realFolder(opened), site: await realFolder(environment) };
}

/** The root folder cannot be mounted, and no skill is there. */
async function realFolder(path: string | undefined): Promise<string | undefined> {
  const real = path === undefined ? undefined : await realpath(path).catch(() => undefined);
  return real === undefined || dirname(real) === real ? undefined : real;
}

async function askAll(
  language: ProbeLanguage,
  runtime: Runtime,
  questions: readonly Question[],
  { sandbox, limits, signal }: CheckPorts,
): Promise<ProbeAnswer> {
  const folders = questions.flatMap(({ folder, site }) => [folder, site]);
  const groupOf = (question: Question, inside: (path: string) => string): ProbeGroup => {
    const { folder, site, places, needs } = question;
    return {
      local: folder === undefined ? [] : places.map((place) => join(inside(folder), place)),
      site: site === undefined ? [] : [inside(environmentPlaces(site)[language])],
      needs: folder === undefined ? [] : needs.map(({ name, import: module }) => ({ name, import: module })),
    };
  };
  return await askProbe(
    {
      language,
      runtime,
      folders: [...new Set(folders.filter((folder) => folder !== undefined))],
      input: (inside) => ({ groups: questions.map((question) => groupOf(question, inside)) }),
      timeoutMs: limits.dependencyCheckMs,
      ...(signal === undefined ? {} : { signal }),
    },
    sandbox,
  );
}

/** Checks whether a run in the sandbox would find a program, without starting it. */
async function checkProgram(
  need: Need,
  environment: string | undefined,
  { findRuntime }: { readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime> },
): Promise<NeedCheck> {
  const kind = INTERPRETERS.get(need.name);
  const isThere =
    kind === undefined ? await isOnPath(need.name, environment) : await isRuntime(kind, findRuntime);
  return { need, answer: isThere ? "ok" : "missing" };
}

/** Interpreters that are mounted into the sandbox from any folder. */
const INTERPRETERS: ReadonlyMap<string, RuntimeKind> = new Map<string, RuntimeKind>([
  ["python3", "python"],
  ["python", "python"],
  ["node", "node"],
]);

async function isRuntime(
  kind: RuntimeKind,
  findRuntime: (kind: RuntimeKind) => Promise<Runtime>,
): Promise<boolean> {
  try {
    await findRuntime(kind);
    return true;
  } catch (error) {
    if (error instanceof SkillError) return false;
    throw error;
  }
}

async function isOnPath(name: string, environment: string | undefined): Promise<boolean> {
  if ((await findSandboxProgram(name)) !== undefined) return true;
  if (environment === undefined) return false;
  return (await findProgram(name, environmentPlaces(environment).programs.join(":"))) !== undefined;
}

/**
 * Cached answers of one interpreter. An entry is valid until the skill, the interpreter or a package folder
 * changes.
 */
interface CheckCache {
  /** Returns undefined on a cache miss, or when the question has no content hash. */
  load(question: CacheQuestion): Promise<readonly boolean[] | undefined>;
  save(question: CacheQuestion, answers: readonly boolean[], sites: readonly string[]): Promise<void>;
}

interface CacheQuestion {
  /** The tree hash of the skill. Without it, answers are not cached. */
  readonly content: string | undefined;
  readonly environment: string | undefined;
  /** The question as text, as part of the cache key. */
  readonly queryText: string;
}

function openCheckCache(runtime: Runtime, cache: IndexCache | undefined): CheckCache {
  const load = (key: string) => readText(cache?.load(key));
  return {
    load: async (question) => {
      const sites = readSites(load(await runtimeKey(runtime)));
      if (question.content === undefined || sites === undefined) return undefined;
      const text = load(await questionKey(question, runtime, sites));
      return text !== undefined && /^[01]*$/.test(text)
        ? Array.from(text, (each) => each === "1")
        : undefined;
    },
    save: async (question, answers, sites) => {
      if (cache === undefined || question.content === undefined) return;
      const text = answers.map((each) => (each ? "1" : "0")).join("");
      cache.save(await runtimeKey(runtime), Buffer.from(JSON.stringify(sites)));
      cache.save(await questionKey(question, runtime, sites), Buffer.from(text));
    },
  };
}

/** Only the interpreter knows its search folders, so they are cached by the state of its program file. */
async function runtimeKey({ program }: Runtime): Promise<string> {
  return `dependency-runtime:${digest([await stateOf(program)])}`;
}

/** Installing a package changes the state of its folder, and so the key. */
async function questionKey(
  { content, environment, queryText }: CacheQuestion,
  { program, version }: Runtime,
  sites: readonly string[],
): Promise<string> {
  const places = [program, ...sites, ...(environment === undefined ? [] : [environment])];
  const states = await Promise.all(places.map(stateOf));
  return `dependency-check:${digest([version ?? "", content ?? "", queryText, ...states])}`;
}

async function stateOf(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined ? path : [path, stats.ino, stats.size, stats.mtimeMs].join("\0");
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function readText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function readSites(text: string | undefined): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return Array.isArray(value) ? value.filter((site) => typeof site === "string") : undefined;
  } catch {
    // The entry is missing or damaged.
    return undefined;
  }
}
