import { statSync } from "node:fs";
import { join, posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import { normalizeRelative } from "@skillhold/core/bundle";
import { openSkill } from "@skillhold/core/source";
import type { RuntimeReport } from "@skillhold/deps/environment";
import { shortPath } from "@skillhold/host/place";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { bodyLine } from "@skillhold/skill";
import type { SurveyRow } from "../dependency-survey.ts";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

type View = ReturnType<Opened["inspect"]>["view"];
type Place = Pick<Io, "cwd" | "env">;

export function checkInvalid({ invalid }: Pick<View, "invalid">, io: Place, rootFlags: string): Check {
  const name = "invalid skills";
  if (invalid.length === 0) return ok(name, "Every skill that was found can be loaded.");
  const details = invalid.map(({ path, diagnostics }) => {
    const error = diagnostics.find(({ severity }) => severity === "error");
    const where = `${shortPath(io, path)}/${error?.file ?? "SKILL.md"}:${error?.line ?? 1}:${error?.column ?? 1}`;
    return `${where} ${error?.message ?? "It cannot be read."}`;
  });
  const fix = `\`skillhold list --invalid${rootFlags}\` shows each with its fix; \`skillhold validate --fix\` mends some.`;
  return failed(name, `${count(invalid.length, "skill")} cannot be loaded.`, fix, details);
}

export function checkShadowed({ shadowed }: Pick<View, "shadowed">, io: Place): Check {
  const name = "shadowed skills";
  if (shadowed.length === 0) return ok(name, "No two skills have the same id.");
  const details = shadowed.map(
    ({ id, path, by }) =>
      `${id}: ${shortPath(io, path)} gives way to ${shortPath(io, by.path)} (${by.source})`,
  );
  const fix = "Rename or remove one of each pair; --precedence decides which source wins.";
  return warn(name, `${count(shadowed.length, "skill")} not used: another has the same id.`, fix, details);
}

export function checkReadiness(entries: readonly SkillEntry[]): Check {
  const name = "readiness";
  const unready = entries.filter(({ readiness }) => readiness.state !== "ready");
  if (unready.length === 0) return ok(name, "Every skill has what it says it needs.");
  const details = unready.map(
    ({ id, readiness }) => `${id} (${readiness.state}): ${readiness.reasons.join("; ")}`,
  );
  const fix = "Install the programs that are named; `skillhold secret set <id> <name>` keeps a value.";
  return warn(name, `${count(unready.length, "skill")} not ready on this machine.`, fix, details);
}

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

/** Skills that clients of the MCP skills extension would not find. */
export async function checkServable({
  library,
  viewer,
  rootFlags,
}: Pick<Opened, "library" | "viewer" | "rootFlags">): Promise<Check> {
  const { unservable } = await import("@skillhold/mcp/server");
  const unserved = await unservable(library, viewer);
  const name = "skills over mcp";
  if (unserved.length === 0) return ok(name, "Every skill can be served under the MCP skills extension.");
  const details = unserved.map(({ id, reasons }) => `${id}: ${reasons.join(" ")}`);
  const fix = `\`skillhold validate --profile mcp <folder>\` shows each finding with its fix; the tools of \`skillhold mcp${rootFlags}\` have these skills as they are.`;
  return warn(name, `${count(unserved.length, "skill")} not served as MCP skills.`, fix, details);
}

/** What skills are run and installed with. */
export function checkInterpreters({ runtimes, ready }: RuntimeReport): Check {
  const name = "runtimes";
  const details = runtimes.map(({ name: program, available, version }) =>
    available ? `${program} ${version ?? "is there"}` : `${program} is not there`,
  );
  if (ready) return ok(name, "Skills can be run, and what they need can be installed.", details);
  const missing = runtimes.filter(({ available, required }) => required && !available);
  const names = missing.map(({ name: program }) => program).join(", ");
  return warn(name, `Not there: ${names}.`, `Install ${names}; \`skillhold runtimes\` shows all.`, details);
}

/** Whether skills have what their code needs. */
export function checkSurveys(rows: readonly SurveyRow[], rootFlags: string): Check {
  const name = "dependencies";
  const surveys = rows.flatMap(({ survey }) => (typeof survey === "string" ? [] : [survey]));
  const wanting = surveys.filter(({ state }) => state.state !== "ok");
  if (wanting.length === 0) return ok(name, "Nothing is missing that the code of skills needs.");
  const details = wanting.map(({ id, state }) => `${id}: ${state.warnings.join(" ")}`);
  const isMissing = wanting.some(({ state }) => state.state === "missing");
  const fix = isMissing
    ? `\`skillhold deps install <id>${rootFlags}\` installs what a skill is missing.`
    : `\`skillhold deps check${rootFlags}\` says why it is not known.`;
  return warn(name, `${count(wanting.length, "skill")} may lack something they need.`, fix, details);
}
