import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { MemorySkill } from "@skillhold/core/library";

/** A query that a skill's author wrote, with the skill that it should or should not find. */
export interface LabeledQuery {
  readonly query: string;
  /** Ids of the skills that answer it. */
  readonly wanted: readonly string[];
  readonly label: string;
}

export interface RetrievalSet {
  readonly skills: readonly MemorySkill[];
  readonly queries: readonly LabeledQuery[];
}

const LARGEST_FILE = 1024 * 1024;
const MOST_FILES = 300;

/**
 * Reads a folder with `corpus.jsonl` (`doc_id`, `dir`) and `queries.jsonl` (`query`, `doc_id` or `doc_ids`, `label`),
 * and adds the skills of other folders as distractors.
 */
export function readRetrievalSet(folder: string, distractors: readonly string[]): RetrievalSet {
  const taken = new Set<string>();
  const ids = new Map<string, string>();
  const skills: MemorySkill[] = [];
  const add = (place: string): string => {
    const id = freeId(
      basename(place)
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-"),
      taken,
    );
    skills.push({ folder: id, files: readFiles(place), trust: "user" });
    return id;
  };
  for (const row of readRows<{ readonly doc_id: string; readonly dir: string }>(join(folder, "corpus.jsonl")))
    ids.set(row.doc_id, add(join(folder, row.dir)));
  const queries = readRows<QueryRow>(join(folder, "queries.jsonl")).map(
    ({ query, doc_id, doc_ids, label }) => ({
      query,
      label,
      wanted: (doc_ids ?? [doc_id ?? ""]).flatMap((each) => ids.get(each) ?? []),
    }),
  );
  for (const each of distractors) for (const place of findSkills(each)) add(place);
  return { skills, queries };
}

interface QueryRow {
  readonly query: string;
  readonly doc_id?: string;
  readonly doc_ids?: readonly string[];
  readonly label: string;
}

/** The trigger sets in the `evals` folders of skills, with those files left out of the skills. */
export function readTriggerSet(folder: string, distractors: readonly string[]): RetrievalSet {
  const taken = new Set<string>();
  const queries: LabeledQuery[] = [];
  const skills = findSkills(folder).map((place): MemorySkill => {
    const id = freeId(basename(place), taken);
    const { "evals/triggers.json": triggers, ...files } = readFiles(place);
    if (triggers !== undefined)
      for (const { query, should_trigger } of JSON.parse(
        new TextDecoder().decode(triggers),
      ) as readonly Trigger[])
        queries.push({
          query,
          wanted: [id],
          label: should_trigger ? "should-trigger" : "should-not-trigger",
        });
    return { folder: id, files, trust: "user" };
  });
  const others = distractors
    .flatMap((each) => findSkills(each))
    .map((place): MemorySkill => {
      return { folder: freeId(basename(place), taken), files: readFiles(place), trust: "user" };
    });
  return { skills: [...skills, ...others], queries };
}

interface Trigger {
  readonly query: string;
  readonly should_trigger: boolean;
}

function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

function findSkills(root: string): readonly string[] {
  if (!isThere(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/)skill\.md$/i.test(name))
    .map((name) => join(root, dirname(name)))
    .toSorted();
}

function readFiles(place: string): Readonly<Record<string, Uint8Array>> {
  const names = readdirSync(place, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\.(?:md|markdown|txt|json)$/i.test(path) && statSync(path).size <= LARGEST_FILE)
    .slice(0, MOST_FILES);
  return Object.fromEntries(names.map((path) => [relative(place, path), readFileSync(path)]));
}

function readRows<T>(file: string): readonly T[] {
  if (!isThere(file)) return [];
  // The README of the set gives the fields of every line.
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
