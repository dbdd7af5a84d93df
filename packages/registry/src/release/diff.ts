import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import type { Clock } from "@skillhold/core/port";
import type { PathChange } from "@skillhold/core/session";
import type { Digest } from "@skillhold/protocol";
import { type FrontmatterMap, type FrontmatterValue, parseSkill } from "@skillhold/skill";
import { createTwoFilesPatch } from "diff";
import type { TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { getRevision, getTree, rejectPurged } from "./revisions.ts";
import { findSkillFile } from "./skill-file.ts";
import { type FilePair, pairFiles } from "./tree-change.ts";

/** The difference between two states of a skill. */
export interface SkillDiff {
  readonly from: DiffEnd;
  readonly to: DiffEnd;
  /** Ordered by path; empty for equal trees. */
  readonly files: readonly FileChange[];
  /** The frontmatter fields that differ, ordered by name. */
  readonly fields: readonly FieldChange[];
}

export interface DiffEnd {
  /** Undefined for an unpublished skill. */
  readonly revision: number | undefined;
  readonly version: string | undefined;
  readonly treeHash: Digest;
}

export interface FileChange extends TextDiff, PathChange, FilePair {}

export interface FieldChange {
  readonly field: string;
  readonly from: FrontmatterValue | undefined;
  readonly to: FrontmatterValue | undefined;
}

/** The difference between two trees. Never changes for the same pair of hashes. */
export type TreeDiff = Pick<SkillDiff, "files" | "fields">;

/** A cache of tree diffs. */
export interface TreeDiffs {
  get(from: Digest, to: Digest, make: () => Promise<TreeDiff>): Promise<TreeDiff>;
}

/** Without a number, uses the current revision. */
export async function diffRevisions(
  idOrUid: string,
  from: number | undefined,
  to: number | undefined,
  context: RegistryContext & { readonly diffs?: TreeDiffs },
): Promise<SkillDiff> {
  const before = await openRevision(idOrUid, from, context);
  const after = await openRevision(idOrUid, to, context);
  const make = () => diffStates(before, after, context);
  const { diffs } = context;
  const { treeHash } = before.end;
  const diff = diffs === undefined ? await make() : await diffs.get(treeHash, after.end.treeHash, make);
  return { from: before.end, to: after.end, ...diff };
}

/** The changes that publishing a staged skill would make. */
export async function diffStaged(
  idOrUid: string,
  from: number | undefined,
  staged: StagedSkill,
  context: RegistryContext,
): Promise<SkillDiff> {
  const { treeHash, files, record, skill } = staged;
  const contents = new Map(files.map(({ digest, content }) => [digest, content]));
  const state: State = {
    end: { revision: undefined, version: record.version, treeHash },
    files,
    frontmatter: skill.frontmatter,
    // Only digests of these files are requested.
    read: async (digest) => contents.get(digest) ?? new Uint8Array(),
  };
  const before = await openRevision(idOrUid, from, context);
  return { from: before.end, to: state.end, ...(await diffStates(before, state, context)) };
}

/** The changes between two stored trees. Without `from`, every file is added. */
export async function diffTrees(
  from: Digest | undefined,
  to: Digest,
  context: RegistryContext & { readonly diffs?: TreeDiffs },
): Promise<TreeDiff> {
  const make = async () => diffStates(await openTree(from, context), await openTree(to, context), context);
  return from === undefined || context.diffs === undefined
    ? await make()
    : await context.diffs.get(from, to, make);
}

async function openTree(
  hash: Digest | undefined,
  { store, limits }: RegistryContext,
): Promise<Omit<State, "end">> {
  const files = hash === undefined ? [] : await getTree(hash, store);
  const file = findSkillFile(files);
  const text = file === undefined ? undefined : await store.blobs.get(file.digest);
  return {
    files,
    frontmatter: text === undefined ? {} : parseSkill(text, limits).frontmatter,
    read: (digest) => store.blobs.get(digest),
  };
}

interface State {
  readonly end: DiffEnd;
  readonly files: readonly TreeFile[];
  readonly frontmatter: FrontmatterMap;
  read(digest: Digest): Promise<Uint8Array>;
}

async function openRevision(
  idOrUid: string,
  number: number | undefined,
  context: RegistryContext,
): Promise<State> {
  const found = await getRevision(idOrUid, number, context);
  rejectPurged(found, idOrUid);
  const { revision, version, treeHash, frontmatter } = found;
  return {
    end: { revision, version, treeHash },
    files: await getTree(treeHash, context.store),
    frontmatter,
    read: (digest) => context.store.blobs.get(digest),
  };
}

async function diffStates(
  from: Omit<State, "end">,
  to: Omit<State, "end">,
  { clock }: RegistryContext,
): Promise<TreeDiff> {
  const budget = new TextDiffBudget(clock);
  const files: FileChange[] = [];
  for (const pair of pairFiles(from.files, to.files)) {
    const text = pair.change === "mode" ? {} : await diffContent(pair.path, pair, from, to, budget);
    files.push({ ...pair, ...text });
  }
  return { files, fields: diffFields(from.frontmatter, to.frontmatter) };
}

async function diffContent(
  path: string,
  pair: FilePair,
  from: Pick<State, "read">,
  to: Pick<State, "read">,
  budget: TextDiffBudget,
): Promise<TextDiff> {
  const refusal = budget.refuse((pair.from?.size ?? 0) + (pair.to?.size ?? 0));
  if (refusal !== undefined) return { note: refusal };
  const before = pair.from === undefined ? undefined : await from.read(pair.from.digest);
  const after = pair.to === undefined ? undefined : await to.read(pair.to.digest);
  return await diffText(path, before, after, budget);
}

function diffFields(from: FrontmatterMap, to: FrontmatterMap): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return fields.flatMap((field) => {
    const change = { field, from: fieldOf(from, field), to: fieldOf(to, field) };
    return isDeepStrictEqual(change.from, change.to) ? [] : [change];
  });
}

/** As plain data, because stored and parsed values have different prototypes. */
function fieldOf(map: FrontmatterMap, field: string): FrontmatterValue | undefined {
  return Object.hasOwn(map, field) ? JSON.parse(JSON.stringify(map[field])) : undefined;
}

/** The unified diff of a file, or the reason why it has no diff. */
interface TextDiff {
  readonly text?: string;
  readonly note?: "binary" | "too large" | "too different" | "left out";
}

/** For both sides together. Larger files are usually generated. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_TOTAL_TEXT = 2 * 1024 * 1024;
/**
 * Comparing is quadratic in the number of edits and blocks the event loop: this many take about 0.1 s. A time
 * limit per file would make the result depend on the load of the machine.
 */
const MAX_EDITS = 1000;
const MAX_TOTAL_MS = 5000;
const CONTEXT_LINES = 3;

/** The text and time left for a diff of many files. */
export class TextDiffBudget {
  readonly #clock: Clock;
  readonly #startedAt: number;
  #text = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.now().getTime();
  }

  /** The reason to skip a file of this size, or undefined to compare it. */
  refuse(bytes: number): TextDiff["note"] {
    if (bytes > MAX_FILE_BYTES) return "too large";
    return this.#text >= MAX_TOTAL_TEXT || this.#isLate ? "left out" : undefined;
  }

  spend(text: string): void {
    this.#text += text.length;
  }

  get #isLate(): boolean {
    return this.#clock.now().getTime() - this.#startedAt >= MAX_TOTAL_MS;
  }
}

/**
 * The diff of one file; undefined stands for an absent side. Yields to the event loop once before comparing,
 * because yielding per edit takes longer than the edit.
 */
export async function diffText(
  path: string,
  from: Uint8Array | undefined,
  to: Uint8Array | undefined,
  budget: TextDiffBudget,
): Promise<TextDiff> {
  const before = asText(from);
  const after = asText(to);
  if (before === undefined || after === undefined) return { note: "binary" };
  await setImmediate();
  const names = [
    from === undefined ? "/dev/null" : `a/${path}`,
    to === undefined ? "/dev/null" : `b/${path}`,
  ] as const;
  const text = createTwoFilesPatch(...names, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  if (text === undefined) return { note: "too different" };
  budget.spend(text);
  return { text };
}

/** Text is UTF-8 without NUL, as for resource reads. */
function asText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return undefined;
  }
}
