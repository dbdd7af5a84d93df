import { statSync } from "node:fs";
import { join, posix } from "node:path";
import { setImmediate } from "node:timers/promises";
import { normalizeRelative } from "@skillhold/core/bundle";
import { openSkill } from "@skillhold/core/source";
import type { RuntimeReport } from "@skillhold/deps/environment";
import { loadWarnings, runtimeSkips } from "@skillhold/host/library";
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
  if (invalid.length === 0) return ok(name, "All skills are valid.");
  const details = invalid.map(({ path, diagnostics }) => {
    const error = diagnostics.find(({ severity }) => severity === "error");
    const where = `${shortPath(io, path)}/${error?.file ?? "SKILL.md"}:${error?.line ?? 1}:${error?.column ?? 1}`;
    return `${where} ${error?.message ?? "The skill cannot be read."}`;
  });
  const fix = `Run \`skillhold list --invalid${rootFlags}\` to see each fix; \`skillhold validate --fix\` writes some of them.`;
  return failed(name, `${count(invalid.length, "invalid skill")}.`, fix, details);
}

export function checkShadowed({ shadowed }: Pick<View, "shadowed">, io: Place): Check {
  const name = "shadowed skills";
  if (shadowed.length === 0) return ok(name, "No two skills have the same id.");
  const details = shadowed.map(
    ({ id, path, by }) =>
      `${id}: ${shortPath(io, path)} is shadowed by ${shortPath(io, by.path)} (${by.source})`,
  );
  const fix = "Rename or remove one of each pair, or choose the winning source with --precedence.";
  return warn(
    name,
    `${count(shadowed.length, "shadowed skill")}: another skill has the same id.`,
    fix,
    details,
  );
}

export function checkReadiness(entries: readonly SkillEntry[]): Check {
  const name = "readiness";
  const unready = entries.filter(({ readiness }) => readiness.state !== "ready");
  if (unready.length === 0) return ok(name, "All declared requirements of skills are met.");
  const details = unready.map(
    ({ id, readiness }) => `${id} (${readiness.state}): ${readiness.reasons.join("; ")}`,
  );
  const fix = "Install the missing programs; set variables with `skillhold secret set <id> <name>`.";
  return warn(name, `${count(unready.length, "skill")} not ready on this machine.`, fix, details);
}

/** Finds malformed runtimes and instructions above the advised size, and lists skills for other runtimes. */
export function checkLoading(entries: readonly SkillEntry[], viewer: Opened["viewer"]): Check {
  const name = "loading";
  const skips = runtimeSkips(entries, viewer).map(({ message }) => message);
  const warnings = loadWarnings(entries).map(({ message }) => message);
  const skipped = skips.length === 0 ? "" : ` ${count(skips.length, "skill")} for other runtimes skipped.`;
  if (warnings.length === 0)
    return ok(name, `All runtimes and sizes of skills are as advised.${skipped}`, skips);
  const fix = "Run `skillhold validate <folder>` to see each fix.";
  const details = [...warnings, ...skips];
  return warn(name, `${count(warnings.length, "warning")} while loading skills.${skipped}`, fix, details);
}

const SKILLS_BETWEEN_RESTS = 64;

/** Checks that relative links in instructions lead to files of the skill. */
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
  if (details.length === 0) return ok(name, "All links to files of skills work.");
  const fix = "Add the files, or fix the links: paths are relative to the skill's folder.";
  return warn(name, `${count(details.length, "link")} to missing files.`, fix, details);
}

export interface FoundLink {
  /** The target without its `#` or `?` part. */
  readonly target: string;
  /** The line in the body, from 1. */
  readonly line: number;
}

// Every repetition is bounded, so that matching hostile text takes linear time.
const LINK =
  /\]\(\s{0,8}(?:<([^<>\n]{1,512})>|([^()<>\s]{1,512}))(?:\s{1,8}(?:"[^"]{0,256}"|'[^']{0,256}'))?\)/g;
/** Matches URLs, anchors, absolute paths and patterns. */
const NOT_A_PATH = /^(?:[a-z][a-z0-9+.-]*:|[#/\\~])|[{}$*|]|\.\.\./i;

/** Finds relative Markdown links outside code, because links in code are examples. */
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
    // An invalid escape is part of the file name.
    return target;
  }
}

/** The problem of a link, or undefined when it leads to a file or folder of the skill. */
function findProblem(folder: string, target: string): string | undefined {
  const plain = posix.normalize(target).replace(/\/+$/, "");
  if (plain === ".") return undefined;
  try {
    const path = normalizeRelative(plain);
    return isThere(join(folder, path)) ? undefined : "does not exist";
  } catch (error) {
    if (error instanceof SkillError) return "is not a path inside the skill";
    throw error;
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The path is below a file or unreadable, so an agent cannot read it either.
    return false;
  }
}

/** Finds skills that cannot be served under the MCP skills extension. */
export async function checkServable({
  library,
  viewer,
  rootFlags,
}: Pick<Opened, "library" | "viewer" | "rootFlags">): Promise<Check> {
  const { unservable } = await import("@skillhold/mcp/server");
  const unserved = await unservable(library, viewer);
  const name = "skills over mcp";
  if (unserved.length === 0) return ok(name, "All skills can be served under the MCP skills extension.");
  const details = unserved.map(({ id, reasons }) => `${id}: ${reasons.join(" ")}`);
  const fix = `Run \`skillhold validate --profile mcp <folder>\` to see each fix. The tools of \`skillhold mcp${rootFlags}\` serve these skills anyway.`;
  return warn(name, `${count(unserved.length, "skill")} not served as MCP skills.`, fix, details);
}

/** Checks interpreters and package managers. */
export function checkInterpreters({ runtimes, ready }: RuntimeReport): Check {
  const name = "runtimes";
  const details = runtimes.map(({ name: program, available, version }) =>
    available ? `${program} ${version ?? "found"}` : `${program} not found`,
  );
  if (ready) return ok(name, "All required interpreters and package managers were found.", details);
  const missing = runtimes.filter(({ available, required }) => required && !available);
  const names = missing.map(({ name: program }) => program).join(", ");
  return warn(
    name,
    `Not found: ${names}.`,
    `Install ${names}. Run \`skillhold runtimes\` to see all.`,
    details,
  );
}

/** Checks the dependencies of the code of skills. */
export function checkSurveys(rows: readonly SurveyRow[], rootFlags: string): Check {
  const name = "dependencies";
  const surveys = rows.flatMap(({ survey }) => (typeof survey === "string" ? [] : [survey]));
  const wanting = surveys.filter(({ state }) => state.state !== "ok");
  if (wanting.length === 0) return ok(name, "All dependencies of skills are installed.");
  const details = wanting.map(({ id, state }) => `${id}: ${state.warnings.join(" ")}`);
  const isMissing = wanting.some(({ state }) => state.state === "missing");
  const isUnsupported = wanting.some(({ state }) => state.isUnsupported === true);
  if (isUnsupported) {
    const hint = "Set XDG_DATA_HOME to a folder that can be written, so that packages can be installed.";
    return warn(name, `${count(wanting.length, "skill")} with missing dependencies.`, hint, details);
  }
  const fix = isMissing
    ? `Run \`skillhold deps install <id>${rootFlags}\` to install missing dependencies.`
    : `Run \`skillhold deps check${rootFlags}\` to see why the state is unknown.`;
  return warn(name, `${count(wanting.length, "skill")} with missing or unknown dependencies.`, fix, details);
}
