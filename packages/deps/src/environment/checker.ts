import { realpath } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { Need, NeedCheck } from "@skillhold/core/dependency";
import type { IndexCache } from "@skillhold/core/library";
import type { RuntimeKind, Sandbox } from "@skillhold/core/run";
import type { Limits } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Runtime } from "@skillhold/sandbox/backend";
import { type CacheQuestion, type CheckCache, openCheckCache } from "./check-cache.ts";
import { environmentPlaces } from "./environment-folder.ts";
import { askProbe, type Language, type ProbeAnswer } from "./probe.ts";
import type { ProbeGroup } from "./probe-script.ts";
import { checkProgram } from "./program-check.ts";

export interface CheckRequest {
  /** Whatever tells the requests of one call apart. */
  readonly id: string;
  /** The skill's folder, or the way to it, which is taken only when it has to be looked into. */
  readonly folder: string | (() => Promise<string>);
  readonly needs: readonly Need[];
  /** The folder of its environment, as `findEnvironment` gives it. */
  readonly environment?: string;
  /** Its tree hash: answers are kept for the content, and without it not at all. */
  readonly content?: string;
}

export interface CheckResult {
  readonly id: string;
  /** One for each need, in their order. */
  readonly checks: readonly NeedCheck[];
}

export interface CheckPorts {
  readonly sandbox: Sandbox;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
  readonly limits: Limits;
  readonly cache?: IndexCache;
  readonly signal?: AbortSignal;
}

/** As many are asked for in one call: each is mounted, and so many mounts are made without being felt. */
export const CHECK_BATCH = 100;

/**
 * Looks up what skills need, as their scripts would in the sandbox: one process a language for all of them. What
 * cannot be found out is unknown, and never missing. Only a call that was called off throws.
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

const KINDS: Readonly<Record<Language, Need["kind"]>> = { python: "pip", node: "npm" };

async function checkLanguage(
  language: Language,
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
    const problem = question.folder === undefined ? "its folder cannot be read" : answer.problem;
    settle(checks, question, found, problem ?? "there was no answer");
    if (found !== undefined) await cache.save(question, found, answer.sites);
  }
  return checks;
}

/** What one skill asks of one language. */
interface Question extends CacheQuestion {
  readonly request: CheckRequest;
  readonly needs: readonly Need[];
  /** Relative to the skill. */
  readonly places: readonly string[];
  /** The real folders of the skill and of its environment, where they are there. */
  readonly folder?: string | undefined;
  readonly site?: string | undefined;
}

function questionOf(language: Language, request: CheckRequest): Question {
  const needs = request.needs.filter(({ kind }) => kind === KINDS[language]);
  const places = placesOf(needs);
  const { content, environment } = request;
  const asked = JSON.stringify([language, places, needs.map((need) => [need.name, need.import])]);
  return { request, needs, places, content, environment, asked };
}

const MAX_PLACES = 64;

/** A script finds what lies beside it; many add a folder above to the path, and those count as well. */
function placesOf(needs: readonly Need[]): readonly string[] {
  const places = new Set(["scripts", "_shared", "scripts/_shared", "tools"]);
  for (const { file } of needs.flatMap(({ seen = [] }) => seen)) {
    let folder = posix.dirname(posix.join("/", file));
    for (; folder !== "/"; folder = posix.dirname(folder)) places.add(folder.slice(1));
  }
  return [...places, ""].slice(0, MAX_PLACES);
}

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

/** The root of the disk cannot be mounted, and no skill lies there. */
async function realFolder(path: string | undefined): Promise<string | undefined> {
  const real = path === undefined ? undefined : await realpath(path).catch(() => undefined);
  return real === undefined || dirname(real) === real ? undefined : real;
}

async function askAll(
  language: Language,
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
