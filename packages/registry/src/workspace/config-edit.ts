import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { readYaml } from "@skillhold/skill";
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLSeq } from "yaml";
import { readWorkspaceConfig } from "./workspace-config.ts";

/** The text with the skill at the end of the list. All other characters stay as they are. */
export function addListedSkill(text: string, id: string): string {
  const before = listedSkills(text);
  if (before.includes(id)) return text;
  return verified(addText(text, id), [...before, id]);
}

/** The text without the skill in the list. All other characters stay as they are, except for the comment on its line. */
export function removeListedSkill(text: string, id: string): string {
  const before = listedSkills(text);
  if (!before.includes(id)) return text;
  return verified(
    removeText(text, id),
    before.filter((each) => each !== id),
  );
}

/** The listed skills. Throws CONFIG_INVALID for a text that cannot be edited safely. */
function listedSkills(text: string): readonly string[] {
  const { config, problems } = readWorkspaceConfig(text);
  const error = problems.find(({ severity, subject }) => severity === "error" && subject === "skills");
  if (config !== undefined && error === undefined) return config.skills;
  const reason = (error ?? problems[0])?.message ?? "config.yaml cannot be read.";
  throw new SkillError("CONFIG_INVALID", reason, { hint: "Correct config.yaml, then try again." });
}

/** An edit that would change another field is a bug, and is never written. */
function verified(text: string, expected: readonly string[]): string {
  const { config } = readWorkspaceConfig(text);
  if (config !== undefined && config.skills.join("\n") === expected.join("\n")) return text;
  throw new SkillError("CONFIG_INVALID", "The list of skills in config.yaml cannot be edited.", {
    hint: "Write it as a block list: one `- name` per line.",
  });
}

function addText(text: string, id: string): string {
  const item = quoted(id);
  const pair = findSkillsPair(text);
  const ending = text === "" || text.endsWith("\n") ? "" : "\n";
  if (pair === undefined) return `${text}${ending}skills:\n  - ${item}\n`;
  const { value } = pair;
  if (!isSeq(value)) return splice(text, lineEnd(text, endOfKey(pair)), 0, `\n  - ${item}`);
  const [start, end] = rangeOf(value);
  if (value.flow === true) {
    const inner = value.items.length === 0 ? item : `, ${item}`;
    const at = value.items.length === 0 ? start + 1 : rangeOf(value.items.at(-1))[1];
    return splice(text, at, 0, inner);
  }
  const last = rangeOf(value.items.at(-1))[1];
  const indent = " ".repeat(columnOf(text, start));
  return splice(
    text,
    Math.min(lineEnd(text, last), Math.max(end, lineEnd(text, last))),
    0,
    `\n${indent}- ${item}`,
  );
}

function removeText(text: string, id: string): string {
  const { value } = findSkillsPair(text) ?? {};
  if (!isSeq(value)) return text;
  const index = value.items.findIndex((item) => isScalar(item) && item.value === id);
  const item = value.items[index];
  if (item === undefined) return text;
  if (value.flow === true || value.items.length === 1) return replaceList(text, value, id);
  const [start, end] = rangeOf(item);
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const to = lineEnd(text, end);
  return splice(text, from, to - from + (text[to] === "\n" ? 1 : 0), "");
}

/** Writes the rest of the list in one line. */
function replaceList(text: string, list: YAMLSeq, id: string): string {
  const rest = list.items.flatMap((item) =>
    isScalar(item) && item.value !== id ? [quoted(String(item.value))] : [],
  );
  const [start, end] = rangeOf(list);
  if (list.flow === true) return splice(text, start, end - start, `[${rest.join(", ")}]`);
  const from = text.lastIndexOf(":", start) + 1;
  return splice(text, from, lineEnd(text, rangeOf(list.items.at(-1))[1]) - from, " []");
}

function findSkillsPair(text: string): Pair | undefined {
  const { contents } = parseDocument(text, { version: "1.2", uniqueKeys: false });
  if (!isMap(contents)) return undefined;
  return contents.items.find(({ key }) => isScalar(key) && key.value === "skills");
}

/** An id that YAML would read as another type, such as `null` or `1e3`, is quoted. */
function quoted(id: string): string {
  return readYaml(id, defaultLimits).value === id ? id : JSON.stringify(id);
}

function rangeOf(node: unknown): readonly [number, number] {
  const range = typeof node === "object" && node !== null && "range" in node ? node.range : undefined;
  if (Array.isArray(range) && typeof range[0] === "number" && typeof range[1] === "number")
    return [range[0], range[1]];
  throw new SkillError("CONFIG_INVALID", "The list of skills in config.yaml cannot be edited.");
}

function endOfKey({ key }: Pair): number {
  return rangeOf(key)[1];
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function columnOf(text: string, at: number): number {
  return at - (text.lastIndexOf("\n", at - 1) + 1);
}

function splice(text: string, at: number, removed: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at + removed);
}
