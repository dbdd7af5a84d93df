import { type FrontmatterMap, textList } from "@skillhold/skill";
import { parseBoundedJson } from "../text/bounded-json.ts";

/** The words of an author about which requests a skill is for, and which it is not for. */
export interface SkillTriggers {
  readonly triggers: readonly string[];
  readonly exclusions: readonly string[];
  /** The description without the sentences about other requests. */
  readonly description: string;
}

/** The parts of a skill that say what triggers it. */
export interface TriggerSource {
  readonly frontmatter: FrontmatterMap;
  readonly description: string;
  readonly body: string;
  /** Evaluation files as text. */
  readonly evaluations: readonly string[];
}

const TRIGGER_KEYS = [
  "triggers",
  "trigger",
  "examples",
  "when_to_use",
  "when-to-use",
  "use_when",
  "use-when",
];
const EXCLUSION_KEYS = ["when_not_to_use", "when-not-to-use", "do_not_use_when", "do-not-use-when"];
const HEADING = /^(#{1,6})\s+(.*)$/;
const TRIGGER_HEADING =
  /\b(?:when to (?:use|apply|activate|invoke)|use (?:this skill )?when|triggers?|use cases)\b/i;
const EXCLUSION_HEADING =
  /\b(?:when not to (?:use|apply|activate)|do not (?:use|invoke|activate)|not for|out of scope)\b/i;
/** A sentence of a description that names requests for other skills. */
const EXCLUSION_SENTENCE =
  /\b(?:do not|don't|never)\s+(?:use|trigger|invoke|activate|apply)\b|^\W*not (?:for|intended for|suitable for)\b/i;
const SENTENCE_END = /(?<=[.!?;])\s+|\n+/;
const LONGEST_SECTION = 4000;
const MOST_PROMPTS = 200;
const LONGEST_PROMPT = 2000;
const DEEPEST = 6;

export function readTriggers({ frontmatter, description, body, evaluations }: TriggerSource): SkillTriggers {
  const sections = readSections(body);
  const prompts = evaluations.flatMap((text) => readPrompts(text)).slice(0, MOST_PROMPTS);
  const sentences = description.split(SENTENCE_END).filter((sentence) => sentence.trim() !== "");
  const isExclusion = (sentence: string) => EXCLUSION_SENTENCE.test(sentence);
  return {
    triggers: [
      ...TRIGGER_KEYS.flatMap((key) => textList(frontmatter[key])),
      ...sections.triggers,
      ...prompts.filter(({ isWanted }) => isWanted).map(({ text }) => text),
    ],
    exclusions: [
      ...EXCLUSION_KEYS.flatMap((key) => textList(frontmatter[key])),
      ...sentences.filter(isExclusion),
      ...sections.exclusions,
      ...prompts.filter(({ isWanted }) => !isWanted).map(({ text }) => text),
    ],
    description: sentences.some(isExclusion)
      ? sentences.filter((sentence) => !isExclusion(sentence)).join(" ")
      : description,
  };
}

/** The text below headings about use, up to the next heading of the same level or above. */
function readSections(body: string): Pick<SkillTriggers, "triggers" | "exclusions"> {
  const found = { triggers: [] as string[], exclusions: [] as string[] };
  let open:
    | { readonly level: number; readonly kind: keyof typeof found; readonly lines: string[] }
    | undefined;
  let isCode = false;
  const close = () => {
    if (open !== undefined) found[open.kind].push(open.lines.join("\n").slice(0, LONGEST_SECTION));
    open = undefined;
  };
  for (const line of body.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const heading = isCode ? null : HEADING.exec(line);
    if (heading === null) {
      open?.lines.push(line);
      continue;
    }
    const [, marks = "", title = ""] = heading;
    if (open !== undefined && marks.length > open.level) {
      open.lines.push(title);
      continue;
    }
    close();
    const kind = kindOf(title);
    if (kind !== undefined) open = { level: marks.length, kind, lines: [] };
  }
  close();
  return found;
}

function kindOf(title: string): "triggers" | "exclusions" | undefined {
  if (EXCLUSION_HEADING.test(title)) return "exclusions";
  return TRIGGER_HEADING.test(title) ? "triggers" : undefined;
}

interface Prompt {
  readonly text: string;
  readonly isWanted: boolean;
}

/** Prompts of an evaluation file in any of the shapes in use; empty for any other file. */
function readPrompts(text: string): readonly Prompt[] {
  const prompts: Prompt[] = [];
  try {
    collectPrompts(parseBoundedJson(text), true, 0, prompts);
  } catch {
    // The file of a stranger may be anything; without prompts the skill is found by its other words.
    return [];
  }
  return prompts;
}

const PROMPT_KEYS = ["query", "prompt", "input", "question", "task"];
const WANTED_KEYS = ["should_trigger", "shouldTrigger", "should-trigger", "expected"];
const NEGATIVE_LIST = /^(?:should[_-]?not|negative|not[_-]|exclu)/i;

function collectPrompts(value: unknown, isWanted: boolean, depth: number, into: Prompt[]): void {
  if (depth > DEEPEST || into.length >= MOST_PROMPTS) return;
  if (typeof value === "string" && depth > 0) into.push({ text: value.slice(0, LONGEST_PROMPT), isWanted });
  else if (Array.isArray(value)) for (const each of value) collectPrompts(each, isWanted, depth + 1, into);
  else if (typeof value === "object" && value !== null)
    collectFrom(value as Readonly<Record<string, unknown>>, isWanted, depth, into);
}

/** An object is a prompt, or has lists of them under its keys. */
function collectFrom(
  value: Readonly<Record<string, unknown>>,
  isWanted: boolean,
  depth: number,
  into: Prompt[],
): void {
  const key = PROMPT_KEYS.find((each) => typeof value[each] === "string");
  if (key !== undefined) {
    const isMarkedOut = WANTED_KEYS.some((each) => value[each] === false);
    collectPrompts(value[key], isWanted && !isMarkedOut, depth + 1, into);
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    const isList = typeof each === "object" && each !== null;
    if (isList) collectPrompts(each, isWanted && !NEGATIVE_LIST.test(name), depth + 1, into);
  }
}
