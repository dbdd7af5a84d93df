import { countOf, fieldsOf, listOf, readDocument, textOf } from "./document.ts";
import type { EvalProblem, EvalSet } from "./eval-set.ts";

/** A user's words, and whether the skill should trigger on them. */
export interface TriggerQuery {
  readonly query: string;
  readonly shouldTrigger: boolean;
  /** Queries that say the same in other words share a family, so that a split keeps them together. */
  readonly family?: string;
}

export interface TriggerSet {
  readonly queries: readonly TriggerQuery[];
  readonly problems: readonly EvalProblem[];
}

const MOST_QUERIES = 10_000;
const LIST_KEYS = ["queries", "triggers", "evals", "cases", "eval_set", "tests"] as const;
const QUERY_KEYS = ["query", "prompt", "question", "input", "text"] as const;
const VERDICT_KEYS = [
  "should_trigger",
  "shouldTrigger",
  "should_activate",
  "expected",
  "trigger",
  "expect_activation",
] as const;
/** Lists of bare queries, with the answer that the key gives. */
const SIDES = [
  ["should_trigger", true],
  ["positive", true],
  ["positives", true],
  ["should_not_trigger", false],
  ["negative", false],
  ["negatives", false],
] as const;

/** Reads `[{query, should_trigger}]` and its variants. Never throws: what cannot be read is left out with a problem. */
export function readTriggerSet(text: string, name?: string): TriggerSet {
  const { value, problem } = readDocument(text, name);
  if (problem !== undefined) return { queries: [], problems: [problem] };
  const document = fieldsOf(value) ?? {};
  const key = LIST_KEYS.find((each) => Array.isArray(document[each]));
  const items = Array.isArray(value) ? value : key === undefined ? [] : listOf(document[key]);
  const problems: EvalProblem[] = [];
  const queries = new Map<string, TriggerQuery>();
  const add = (query: TriggerQuery, at: string) => {
    if (queries.has(query.query))
      problems.push({ at, message: "The query is listed twice; the first one stands." });
    else queries.set(query.query, query);
  };
  for (const [index, item] of items.slice(0, MOST_QUERIES).entries()) {
    const at = `${key ?? "list"}[${index}]`;
    const read = readQuery(item);
    if (typeof read === "string") problems.push({ at, message: read });
    else add(read, at);
  }
  for (const [side, shouldTrigger] of SIDES)
    for (const [index, query] of listOf(document[side]).entries())
      if (typeof query === "string") add({ query, shouldTrigger }, `${side}[${index}]`);
  if (queries.size === 0 && problems.length === 0)
    problems.push({ at: "", message: "The file has no queries." });
  return { queries: [...queries.values()], problems };
}

function readQuery(item: unknown): TriggerQuery | string {
  const fields = fieldsOf(item);
  if (fields === undefined) return "The entry is not an object.";
  const query = QUERY_KEYS.map((key) => textOf(fields[key])).find((text) => text !== undefined);
  if (query === undefined) return "The entry has no query.";
  const shouldTrigger = readVerdict(fields);
  if (shouldTrigger === undefined) return "The entry does not say whether the skill should trigger.";
  const family = textOf(fields["family"]) ?? textOf(fields["group"]) ?? countOf(fields["family"])?.toString();
  return { query, shouldTrigger, ...(family === undefined ? {} : { family }) };
}

function readVerdict(fields: Readonly<Record<string, unknown>>): boolean | undefined {
  for (const key of VERDICT_KEYS) {
    const value = fields[key];
    if (typeof value === "boolean") return value;
    if (value === "yes" || value === "trigger" || value === "true") return true;
    if (value === "no" || value === "no_trigger" || value === "false") return false;
  }
  if (Object.hasOwn(fields, "expected_skill")) return fields["expected_skill"] !== null;
  return undefined;
}

/** The trigger queries of a skill that an eval set implies, where its cases say which skill they expect. */
export function triggersOf({ cases }: EvalSet, skill: string): readonly TriggerQuery[] {
  return cases.flatMap(({ prompt, shouldTrigger, expectedSkill }) => {
    const isExpected = expectedSkill === undefined ? undefined : expectedSkill === skill;
    const verdict = shouldTrigger ?? isExpected;
    return verdict === undefined ? [] : [{ query: prompt, shouldTrigger: verdict }];
  });
}

/** A set as `[{query, should_trigger}]`, which all known tools read. */
export function writeTriggerSet(queries: readonly TriggerQuery[]): string {
  const rows = queries.map(({ query, shouldTrigger, family }) => ({
    query,
    should_trigger: shouldTrigger,
    ...(family === undefined ? {} : { family }),
  }));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}
