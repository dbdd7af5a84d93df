import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Library, openLibrary, type Viewer } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import {
  chooseDistractors,
  EVAL_FILES,
  type EvalProblem,
  type EvalReport,
  type EvalSet,
  layOut,
  layOutForTrials,
  ResultStore,
  readEvalSet,
  readTriggerSet,
  type SkillFolder,
  seededRandom,
  TRIGGER_FILES,
  type TriggerQuery,
  triggersOf,
} from "@skillhold/eval";
import { cacheFile, dataFolder, ioFailure, statPath } from "@skillhold/host/place";
import { STORE_LABEL } from "@skillhold/host/store";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { EvalReportBody } from "@skillhold/protocol/http";
import { addEvalResult } from "@skillhold/registry/eval";
import type { RegistryContext } from "@skillhold/registry/record";
import { folderId } from "@skillhold/skill";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { ownActor } from "../actor-option.ts";
import type { CommandInput } from "../command.ts";
import { getEntry } from "../get-entry.ts";
import { type LibraryOpenOptions, withLibrary } from "../open.ts";
import { countOption, textOption } from "../option.ts";
import { withRegistry } from "../store.ts";
import { type Io, plain } from "../terminal/output.ts";

/** The skill under evaluation, among the skills of the library. */
export interface EvalTarget {
  readonly entry: SkillEntry;
  readonly library: Library;
  readonly viewer: Viewer;
  /** A folder for trials, outside the temporary folder, that is removed in the end. */
  readonly place: string;
  /** The skill's bundle alone, with its evals. */
  readonly bundle: SkillFolder;
  /** The folder of that bundle. */
  readonly folder: string;
  readonly treeHash: string;
  /** The registry that the skill is from, if it is from one. */
  readonly registry: RegistryContext | undefined;
}

/** Opens the library around a skill that is named by its id or its folder; beside a folder, its siblings are the others. */
export async function withEvalTarget<T>(
  input: CommandInput,
  use: (target: EvalTarget) => Promise<T>,
  options: Pick<LibraryOpenOptions, "watch"> = {},
): Promise<T> {
  const [named = ""] = input.args;
  const { id, roots } = readSkillArgument(named, input.io);
  return await withLibrary(
    input,
    async (opened) => {
      const entry = await getEntry(opened, id);
      return await withPlace(input.io, async (place) => {
        const { library, viewer } = opened;
        const bundle = await layOut([entry.id], join(place, "bundle"), { library, viewer });
        const treeHash = bundle.skills[0]?.treeHash ?? "";
        return await use({
          entry,
          library,
          viewer,
          place,
          bundle,
          folder: join(bundle.path, entry.id),
          treeHash,
          registry: entry.source === STORE_LABEL ? opened.store?.context : undefined,
        });
      });
    },
    { ...options, ...(roots.length === 0 ? {} : { roots }) },
  );
}

/** A path to a folder with a SKILL.md is that skill; anything else is an id. */
export function readSkillArgument(
  named: string,
  io: Pick<Io, "cwd">,
): { readonly id: string; readonly roots: readonly string[] } {
  const path = resolve(io.cwd, named);
  const isFolder = /[/\\]|^\.+$/.test(named) || existsSync(join(path, "SKILL.md"));
  if (!isFolder) return { id: named, roots: [] };
  if (statPath(path, named)?.isDirectory() !== true)
    throw new SkillError("PATH_NOT_FOUND", `${named} is not a folder.`, {
      hint: "Name a folder with a SKILL.md, or an id.",
    });
  return { id: folderId(basename(path)).id, roots: [dirname(path)] };
}

/** A folder for trials that is removed in the end. */
export async function withPlace<T>({ env }: Io, use: (place: string) => Promise<T>): Promise<T> {
  const cache = cacheFile(env);
  // Codex refuses a HOME in the temporary folder.
  const base = cache === undefined ? join(dataFolder(env), "evals") : dirname(cache);
  const place = join(base, "trials", randomUUID());
  makePlace(place);
  try {
    return await use(place);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function makePlace(place: string): void {
  try {
    mkdirSync(place, { recursive: true });
  } catch (error) {
    throw ioFailure(`The folder for trials ${place} cannot be created`, error);
  }
}

/** Where results are kept: below the data folder, by skill and tree hash. */
export function openResults(io: Pick<Io, "env">): ResultStore {
  return new ResultStore(join(dataFolder(io.env), "evals", "results"));
}

/**
 * Keeps a report below the data folder, and with the skill in the store if it is from there. Returns the file, and why
 * the store did not keep it.
 */
export async function keepReport(
  report: EvalReport,
  { registry }: Pick<EvalTarget, "registry">,
  input: CommandInput,
): Promise<{ readonly file: string; readonly problem?: string }> {
  const file = openResults(input.io).save(report);
  if (registry === undefined) return { file };
  try {
    // The library's own connection cannot extend a signed log.
    await withRegistry(input, "write", ({ context }) =>
      addEvalResult(report.skill, storable(report), ownActor(input.io), context),
    );
    return { file };
  } catch (error) {
    // The result of an eval is costly: a store that is read-only must not lose it.
    if (error instanceof SkillError) return { file, problem: error.message };
    throw error;
  }
}

/** The end of a long output is left out, so that a result with many runs stays small. */
const LONGEST_STORED_OUTPUT = 4000;

function storable(report: EvalReport): EvalReportBody {
  const short =
    report.kind === "tasks"
      ? {
          ...report,
          trials: report.trials.map((trial) => ({
            ...trial,
            output: trial.output.slice(0, LONGEST_STORED_OUTPUT),
          })),
        }
      : report;
  return EvalReportBody.parse(short);
}

export interface EvalFile {
  readonly set: EvalSet;
  readonly file: string;
}

/** The task evals of the skill, or of the file that was named. */
export function readEvals({ folder, entry }: EvalTarget, { options, io }: CommandInput): EvalFile {
  const named = textOption(options, "evals");
  const file = named === undefined ? findFile(folder, EVAL_FILES) : resolve(io.cwd, named);
  if (file === undefined)
    throw new SkillError("PATH_NOT_FOUND", `${entry.id} has no evals/evals.json.`, {
      hint: "Write one, or name a file with --evals.",
    });
  const { set, problems } = readEvalSet(readText(file), file);
  warn(io, basename(file), problems);
  if (set === undefined || set.cases.length === 0)
    throw new SkillError("CONFIG_INVALID", `${named ?? basename(file)} has no case that can be read.`, {
      hint: "`docs/guide/evals.md` shows the format.",
    });
  return { set: chooseCases(set, options), file };
}

function chooseCases(set: EvalSet, options: CommandInput["options"]): EvalSet {
  const wanted = Array.isArray(options["case"]) ? options["case"].map(String) : [];
  const ids = set.cases.map(({ id }) => id);
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw new SkillError("USAGE", `There is no case ${unknown}.`, {
      hint: didYouMean(suggest(unknown, ids)) ?? `The cases are ${ids.slice(0, 20).join(", ")}.`,
    });
  return wanted.length === 0 ? set : { ...set, cases: set.cases.filter(({ id }) => wanted.includes(id)) };
}

/** The trigger set of the skill, or of the file that was named; without one, that which its evals imply. */
export function readTriggers(
  { folder, entry }: EvalTarget,
  { options, io }: CommandInput,
): readonly TriggerQuery[] {
  const named = textOption(options, "triggers");
  const file = named === undefined ? findFile(folder, TRIGGER_FILES) : resolve(io.cwd, named);
  if (file !== undefined) {
    const { queries, problems } = readTriggerSet(readText(file), file);
    warn(io, basename(file), problems);
    if (queries.length > 0) return queries;
    throw new SkillError("CONFIG_INVALID", `${named ?? basename(file)} has no query that can be read.`);
  }
  const evals = findFile(folder, EVAL_FILES);
  const implied = evals === undefined ? undefined : readEvalSet(readText(evals), evals).set;
  const queries = implied === undefined ? [] : triggersOf(implied, entry.id);
  if (queries.length > 0) return queries;
  throw new SkillError("PATH_NOT_FOUND", `${entry.id} has no evals/triggers.json.`, {
    hint: 'Write one, `[{"query": "…", "should_trigger": true}, …]`, or name a file with --triggers.',
  });
}

/** The ids of the other skills that agents see beside this one. */
export async function chooseOthers(
  { library, viewer, entry }: EvalTarget,
  queries: readonly string[],
  { options }: CommandInput,
): Promise<readonly string[]> {
  const count = countOption(options, "distractors", { min: 0, max: 500 }) ?? 20;
  const seed = countOption(options, "seed", { min: 0 }) ?? 42;
  return await chooseDistractors(
    entry.id,
    { count, queries, random: seededRandom(seed) },
    { library, viewer },
  );
}

/** Another content of the same skill, in a folder of its own. */
export async function layOutFolder(
  folder: string,
  id: string,
  place: string,
  { io }: CommandInput,
): Promise<SkillFolder> {
  const root = resolve(io.cwd, folder);
  if (!existsSync(join(root, "SKILL.md")))
    throw new SkillError("PATH_NOT_FOUND", `${folder} has no SKILL.md.`, {
      hint: "--against names the folder of a skill.",
    });
  const host = nodeHost({ env: io.env, platform: process.platform, cwd: io.cwd });
  const source = { label: folder, kind: "workspace", trust: "user", root } as const;
  const library = await openLibrary({ sources: [source], host });
  try {
    const viewer = { runtime: "skillhold-cli" };
    const [entry] = await library.list(viewer);
    if (entry === undefined)
      throw new SkillError("SKILL_INVALID", `The skill in ${folder} cannot be loaded.`);
    if (entry.id !== id)
      throw new SkillError("USAGE", `${folder} holds ${entry.id}, not ${id}.`, {
        hint: "Name a folder with an earlier content of the same skill.",
      });
    return await layOutForTrials([id], place, { library, viewer });
  } finally {
    await library.close();
  }
}

/** An earlier revision of the same skill. */
export async function layOutRevision(
  revision: number,
  { entry: { id }, registry }: EvalTarget,
  place: string,
): Promise<SkillFolder> {
  if (registry === undefined)
    throw new SkillError("USAGE", `${id} is not from a registry, so that it has no revisions.`, {
      hint: "Name a folder with an earlier content with --against.",
    });
  const { copyRevision, getRevision } = await import("@skillhold/registry");
  const { treeHash } = await getRevision(id, revision, registry);
  const folder = join(place, id);
  mkdirSync(folder, { recursive: true });
  await copyRevision(treeHash, folder, registry);
  rmSync(join(folder, "evals"), { recursive: true, force: true });
  return { path: place, skills: [{ id, treeHash }] };
}

function findFile(folder: string, names: readonly string[]): string | undefined {
  return names.map((name) => join(folder, name)).find((file) => existsSync(file));
}

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw ioFailure(`${file} cannot be read`, error);
  }
}

function warn(io: Io, name: string, problems: readonly EvalProblem[]): void {
  for (const { at, message } of problems.slice(0, 10))
    io.err(`warning: ${plain(`${name} ${at}: ${message}`)}\n`);
}
