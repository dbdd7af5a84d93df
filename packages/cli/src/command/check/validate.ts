import { basename, dirname, join, relative, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  findSkillFolders,
  type OpenedSkill,
  openSkill,
  surveyLinks,
  surveySkill,
} from "@skillhold/core/source";
import { statPath } from "@skillhold/host/place";
import type { Diagnostic } from "@skillhold/protocol";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { withLimits } from "@skillhold/protocol/limits";
import { findFixLoss, folderId, type Profile, scalarText, validateSkill } from "@skillhold/skill";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { openProgress, type ProgressLine } from "../../terminal/progress.ts";
import { printReport, type ValidationRow } from "./validate-report.ts";
import { writeFix } from "./write-fix.ts";

/** A folder named on the command line is searched deeper than a discovered one. */
const limits = withLimits({ discoveryDepth: 16 });
const FIX_AGAIN =
  "Make the file and its folder writable, remove leftover temporary files, and run --fix again.";

const optionSpecs = [
  {
    flags: "--profile <name>",
    summary: "apply the rules of this profile",
    choices: ["strict", "publish", "lenient", "mcp", "molecule", "authoring"],
    default: "strict",
  },
  { flags: "--fix", summary: "write the repairs that need no decision" },
  { flags: "--quiet", summary: "print findings only" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "[paths...]", summary: "skill folders, or folders that contain them", default: ["."] },
  ],
  options: optionSpecs,
  examples: ["validate ./skills", "validate --profile publish --fix ./skills/pdf"],
  run,
});

async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  // The command table allows only the names of profiles here.
  const profile = options["profile"] as Profile;
  const quiet = options["quiet"] === true;
  const progress = openProgress(io, "checking", { quiet });
  try {
    const found = await findPaths(args, io, progress);
    const rows = await checkAll(found.paths, profile, options["fix"] === true, { io, progress });
    progress.stop();
    if (io.json) printData(io, { skills: rows, summary: summarize(rows, profile), problems: found.problems });
    else await printReport(io, rows, found.problems, quiet);
    return rows.every(({ valid }) => valid) ? 0 : errorTable.SKILL_INVALID.exit;
  } finally {
    progress.stop();
  }
}

function summarize(rows: readonly ValidationRow[], profile: Profile): Readonly<Record<string, unknown>> {
  const invalid = rows.filter(({ valid }) => !valid).length;
  const repaired = rows.filter((row) => row.repaired).length;
  return { skills: rows.length, valid: rows.length - invalid, invalid, repaired, profile };
}

interface FoundPaths {
  /** Folders in the order of the command line, then of the tree; unreadable folders come last. */
  readonly paths: readonly string[];
  /** Folders that were not searched, each with the reason. */
  readonly problems: readonly string[];
}

async function findPaths(args: readonly string[], io: Io, progress: ProgressLine): Promise<FoundPaths> {
  const paths: string[] = [];
  const problems: string[] = [];
  for (const arg of args) {
    const path = resolve(io.cwd, arg);
    const stats = statPath(path, arg);
    if (stats === undefined) throw new SkillError("PATH_NOT_FOUND", `The path ${arg} does not exist.`);
    if (!stats.isDirectory()) {
      paths.push(basename(path).toLowerCase() === "skill.md" ? dirname(path) : path);
      continue;
    }
    const onProgress = (seen: { folders: number; skills: number }) =>
      progress.update(seen.skills, seen.folders, arg);
    const found = await findSkillFolders(path, limits, { signal: io.signal, onProgress });
    for (const problem of found.problems) problems.push(`${join(arg, problem.path)}: ${problem.message}`);
    // An unreadable folder may be a skill, so it gets a row of its own.
    const unlisted = found.problems.filter(({ reason }) => reason === "unreadable");
    const folders = [...found.skills, ...unlisted].map((folder) => join(path, folder.path));
    for (const folder of folders.length === 0 ? [path] : folders) paths.push(folder);
  }
  return { paths: [...new Set(paths)], problems };
}

interface Watch {
  readonly io: Io;
  readonly progress: ProgressLine;
}

async function checkAll(
  paths: readonly string[],
  profile: Profile,
  isFixing: boolean,
  { io, progress }: Watch,
): Promise<readonly ValidationRow[]> {
  const rows: ValidationRow[] = [];
  for (const [index, path] of paths.entries()) {
    // Reading is synchronous for speed, so this is where an interrupt takes effect.
    if (index % 64 === 0) await setImmediate(undefined, { signal: io.signal });
    progress.update(index, paths.length, path);
    rows.push(await check(path, profile, isFixing, io));
  }
  return rows;
}

async function check(path: string, profile: Profile, isFixing: boolean, io: Io): Promise<ValidationRow> {
  const before = openSkill(path, limits);
  const { isFixed, failure } = isFixing ? fix(before) : unfixed;
  const opened = isFixed ? openSkill(path, limits) : before;
  const { valid, diagnostics } = validateSkill(
    opened.skill,
    await subjectOf(opened, profile),
    profile,
    limits,
  );
  return {
    path: relative(io.cwd, opened.folder) || ".",
    id: folderId(opened.subject.folder ?? "").id,
    name: scalarText(opened.skill, "name") ?? null,
    valid: valid && failure === undefined,
    repaired: opened.skill.repaired,
    fixed: isFixed,
    diagnostics: failure === undefined ? diagnostics : [...diagnostics, failure],
  };
}

interface FixOutcome {
  readonly isFixed: boolean;
  readonly failure?: Diagnostic;
}

const unfixed: FixOutcome = { isFixed: false };

/** A write failure becomes a finding of its skill, so that the other skills are still fixed. */
function fix(opened: OpenedSkill): FixOutcome {
  const lost = findFixLoss(opened.skill);
  if (lost !== undefined) return { isFixed: false, failure: refuseFix(lost) };
  try {
    return { isFixed: writeFix(opened) };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const message = `The repairs could not be written: ${error.message}`;
    return {
      isFixed: false,
      failure: { code: "FIX_FAILED", severity: "error", line: 1, column: 1, message, fix: FIX_AGAIN },
    };
  }
}

/** A repair of frontmatter that is closed too late would drop instructions. */
function refuseFix(line: number): Diagnostic {
  return {
    code: "FIX_REFUSED",
    severity: "error",
    line,
    column: 1,
    message: "The repair was not written: it would turn the instructions from this line on into frontmatter.",
    fix: "Close the frontmatter with a line of --- before this line, and run --fix again.",
  };
}

/** The strict and lenient profiles cover SKILL.md and links.yaml; the other profiles check all files. */
async function subjectOf(opened: OpenedSkill, profile: Profile): Promise<OpenedSkill["subject"]> {
  const isShort = profile === "strict" || profile === "lenient";
  return isShort ? surveyLinks(opened, limits) : await surveySkill(opened, limits);
}
