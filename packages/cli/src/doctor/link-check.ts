import { statSync } from "node:fs";
import { join, posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import { normalizeRelative } from "@skillhold/core/bundle";
import { openSkill } from "@skillhold/core/source";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { bodyLine } from "@skillhold/skill";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

const SKILLS_BETWEEN_RESTS = 64;

/** Links in instructions to files that an agent would ask for in vain. */
export async function checkLinks(entries: readonly SkillEntry[], signal: AbortSignal): Promise<Check> {
  const details: string[] = [];
  for (const [index, { id, path }] of entries.entries()) {
    if (index % SKILLS_BETWEEN_RESTS === 0) await setImmediate(undefined, { signal });
    const { skill } = openSkill(path);
    const first = bodyLine(skill);
    for (const { target, line } of findLinks(skill.body)) {
      const problem = findProblem(path, target);
      if (problem !== undefined) details.push(`${id}: SKILL.md:${first + line - 1} ${target} ${problem}`);
    }
  }
  const name = "links";
  if (details.length === 0) return ok(name, "Every link to a file of a skill leads to one.");
  const fix = "Add the files, or correct the links: paths start from the skill's folder.";
  return warn(name, `${count(details.length, "link")} to files that are not in the skill.`, fix, details);
}

export interface FoundLink {
  /** As written, without what follows `#` or `?`. */
  readonly target: string;
  /** From 1, of the body. */
  readonly line: number;
}

// Bounded on every side, so that a hostile text costs no more than its length.
const LINK =
  /\]\(\s{0,8}(?:<([^<>\n]{1,512})>|([^()<>\s]{1,512}))(?:\s{1,8}(?:"[^"]{0,256}"|'[^']{0,256}'))?\)/g;
/** An address, an anchor, an absolute path, or a pattern that stands for many. */
const NOT_A_PATH = /^(?:[a-z][a-z0-9+.-]*:|[#/\\~])|[{}$*|]|\.\.\./i;

/** The relative links of Markdown, those in code left out: there they are examples. */
export function findLinks(body: string): readonly FoundLink[] {
  let fence: string | undefined;
  return body.split(/\r\n|\n|\r/).flatMap((text, index) => {
    const mark = /^\s{0,3}(```|~~~)/.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
      return [];
    }
    if (fence !== undefined || !text.includes("](")) return [];
    return [...text.replace(/`[^`]*`/g, "").matchAll(LINK)].flatMap(([, quoted, bare]) => {
      const target = decode((quoted ?? bare ?? "").replace(/[#?].*$/, ""));
      return target === "" || NOT_A_PATH.test(target) ? [] : [{ target, line: index + 1 }];
    });
  });
}

function decode(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    // A percent sign that encodes nothing is part of the name.
    return target;
  }
}

/** What is wrong with a link from the skill in a folder, or undefined when it leads to a file or folder of it. */
function findProblem(folder: string, target: string): string | undefined {
  const plain = posix.normalize(target).replace(/\/+$/, "");
  if (plain === ".") return undefined;
  try {
    const path = normalizeRelative(plain);
    return isThere(join(folder, path)) ? undefined : "is not there";
  } catch (error) {
    if (error instanceof SkillError) return "is not a path inside the skill";
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It lies below a file, or where this user may not look: an agent cannot read it either.
    return false;
  }
}
