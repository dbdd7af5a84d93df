import { type Assertion, readAssertion } from "./assertion.ts";
import { countOf, type Fields, fieldsOf, listOf, readDocument, textOf } from "./document.ts";
import type { CaseFile, Dialect, EvalCase, EvalFrame, EvalProblem, EvalSet } from "./eval-set.ts";

const MOST_CASES = 10_000;
const LIST_KEYS = ["evals", "cases", "scenarios", "expects"] as const;
const PROMPT_KEYS = ["prompt", "question", "query"] as const;
const EXPECTED_KEYS = ["expected_output", "ground_truth"] as const;
const ASSERTION_KEYS = ["assertions", "expectations", "expected_behavior", "checks", "rubric"] as const;

export interface ReadEvalSet {
  /** Undefined when the file is not an eval set at all. */
  readonly set?: EvalSet;
  readonly problems: readonly EvalProblem[];
}

/** Reads an eval file of any dialect. Never throws: cases that cannot be read are left out with a problem. */
export function readEvalSet(text: string, name?: string): ReadEvalSet {
  const { value, format, problem } = readDocument(text, name);
  if (problem !== undefined) return { problems: [problem] };
  const found = findCases(value);
  if (found === undefined)
    return { problems: [{ at: "", message: `The file has no list of cases (${LIST_KEYS.join(", ")}).` }] };
  const problems: EvalProblem[] = [];
  const cases: EvalCase[] = [];
  const unread = found.items.slice(MOST_CASES).map((value, index) => ({ at: MOST_CASES + index, value }));
  const ids = new Set<string>();
  if (found.items.length > MOST_CASES)
    problems.push({ at: found.frame.list, message: `Only the first ${MOST_CASES} cases are read.` });
  for (const [index, item] of found.items.slice(0, MOST_CASES).entries()) {
    const at = `${found.frame.list}[${index}]`;
    const read = readCase(item, index, (message) => problems.push({ at, message }));
    if (read === undefined) {
      unread.push({ at: index, value: item });
      continue;
    }
    const id = uniqueId(read.id, ids);
    cases.push(id === read.id ? read : { ...read, id });
  }
  const { document = {} } = found.frame;
  const skill = textOf(document["skill_name"]) ?? textOf(document["skill"]);
  const set = { dialect: dialectOf(found.frame, cases), cases, frame: { ...found.frame, format, unread } };
  return { set: skill === undefined ? set : { ...set, skill }, problems };
}

interface FoundCases {
  readonly items: readonly unknown[];
  readonly frame: Omit<EvalFrame, "format" | "unread">;
}

function findCases(value: unknown): FoundCases | undefined {
  if (Array.isArray(value)) return { items: value, frame: { list: "list" } };
  const document = fieldsOf(value);
  if (document === undefined) return undefined;
  const key = LIST_KEYS.find((each) => Array.isArray(document[each]));
  if (key !== undefined) return { items: listOf(document[key]), frame: { list: key, document } };
  if (PROMPT_KEYS.some((each) => textOf(document[each]) !== undefined))
    return { items: [document], frame: { list: "single" } };
  return undefined;
}

function dialectOf({ list }: Omit<EvalFrame, "format" | "unread">, cases: readonly EvalCase[]): Dialect {
  if (list === "scenarios") return "dotnet";
  if (list === "expects") return "checks";
  const has = (key: string) => cases.some(({ origin }) => Object.hasOwn(origin.record, key));
  if (has("eval_id")) return "metadata";
  if (has("expected_skill") || has("question") || list === "cases") return "nvidia";
  return has("expectations") ? "anthropic" : "agentskills";
}

type Report = (message: string) => void;

function readCase(item: unknown, index: number, report: Report): EvalCase | undefined {
  const record = fieldsOf(item);
  if (record === undefined) return void report("The case is not an object.");
  const promptKey = PROMPT_KEYS.find((key) => textOf(record[key]) !== undefined);
  const prompt = promptKey === undefined ? undefined : textOf(record[promptKey]);
  if (promptKey === undefined || prompt === undefined) return void report("The case has no prompt.");
  const expectedKey = EXPECTED_KEYS.find((key) => textOf(record[key]) !== undefined);
  const expected = expectedKey === undefined ? undefined : textOf(record[expectedKey]);
  const name = textOf(record["name"]) ?? textOf(record["eval_name"]);
  const setup = fieldsOf(record["setup"]) ?? {};
  if (listOf(setup["commands"]).length > 0) report("The commands under setup are not run.");
  const trigger = triggerOf(record);
  return {
    id: idOf(record, index),
    ...(name === undefined ? {} : { name }),
    prompt,
    ...(expected === undefined ? {} : { expected }),
    files: [...listOf(record["files"]), ...listOf(setup["files"])].flatMap((file) => readFile(file, report)),
    assertions: readAssertions(record, report),
    ...(trigger === undefined ? {} : { shouldTrigger: trigger }),
    ...expectedSkillOf(record),
    limits: limitsOf(record),
    origin: { record, promptKey, ...(expectedKey === undefined ? {} : { expectedKey }) },
  };
}

function idOf(record: Fields, index: number): string {
  const id = record["id"] ?? record["eval_id"];
  if (typeof id === "number") return String(id);
  return textOf(id) ?? slug(textOf(record["name"]) ?? "") ?? `case-${index + 1}`;
}

function slug(name: string): string | undefined {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return text === "" ? undefined : text.slice(0, 80);
}

function uniqueId(id: string, ids: Set<string>): string {
  let unique = id;
  for (let number = 2; ids.has(unique); number += 1) unique = `${id}-${number}`;
  ids.add(unique);
  return unique;
}

function readFile(file: unknown, report: Report): readonly CaseFile[] {
  if (typeof file === "string") return [{ path: file.replace(/^(?:\.\/)?evals\/files\//, ""), source: file }];
  const { path, content, source } = fieldsOf(file) ?? {};
  const to = textOf(path);
  if (to === undefined) {
    report("A file has no path.");
    return [];
  }
  if (typeof content === "string") return [{ path: to, content }];
  const from = textOf(source);
  if (from === undefined) report(`The file ${to} has neither content nor a source.`);
  return from === undefined ? [] : [{ path: to, source: from }];
}

function readAssertions(record: Fields, report: Report): readonly Assertion[] {
  const listed = ASSERTION_KEYS.flatMap((key) => listOf(record[key])).flatMap((value) => {
    const { assertion, problem } = readAssertion(value);
    if (problem !== undefined) report(problem);
    return assertion === undefined ? [] : [assertion];
  });
  const typed = (type: string, fields: Fields) => readAssertion({ type, ...fields }).assertion ?? [];
  const { max_turns, max_tokens, expect_activation, expected_script } = record;
  return [
    ...listed,
    ...listOf(record["must_not"]).flatMap((value) =>
      textOf(value) === undefined ? [] : [{ text: `Must not: ${value}` }],
    ),
    ...listOf(record["expect_tools"]).flatMap((tool) => typed("expect_tool", { tool })),
    ...listOf(record["reject_tools"]).flatMap((tool) => typed("reject_tool", { tool })),
    ...(countOf(max_turns) === undefined ? [] : [typed("max_turns", { value: max_turns })].flat()),
    ...(countOf(max_tokens) === undefined ? [] : [typed("max_tokens", { value: max_tokens })].flat()),
    ...(typeof expect_activation === "boolean"
      ? [typed("skill_read", { value: expect_activation })].flat()
      : []),
    ...(textOf(expected_script) === undefined
      ? []
      : [typed("script_ran", { script: expected_script })].flat()),
  ];
}

function triggerOf(record: Fields): boolean | undefined {
  const { should_trigger, expect_activation } = record;
  if (typeof should_trigger === "boolean") return should_trigger;
  return typeof expect_activation === "boolean" ? expect_activation : undefined;
}

function expectedSkillOf({ expected_skill }: Fields): Pick<EvalCase, "expectedSkill"> {
  if (expected_skill === null) return { expectedSkill: null };
  const expectedSkill = textOf(expected_skill);
  return expectedSkill === undefined ? {} : { expectedSkill };
}

function limitsOf(record: Fields): EvalCase["limits"] {
  const timeout = countOf(record["timeout"]);
  return timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
}
