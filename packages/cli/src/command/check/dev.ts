import { resolve } from "node:path";
import { SerialQueue } from "@skillhold/core/async";
import { openSkill, surveySkill } from "@skillhold/core/source";
import type { OfflineReport, TaskReport } from "@skillhold/eval";
import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { validateSkill } from "@skillhold/skill";
import type { GuardReport } from "@skillhold/skill/guard";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type EvalTarget, keepReport, readSkillArgument, withEvalTarget } from "../../eval/eval-target.ts";
import { comparisonLine, percent } from "../../eval/eval-text.ts";
import { withLibrary } from "../../open.ts";
import { libraryOptions } from "../../shared-option.ts";
import { untilAborted } from "../../terminal/interrupt.ts";
import { type ExitCode, plain, printLine } from "../../terminal/output.ts";
import { evalsOption, judgeOptions, runnerOptions, runsOption, triggersOption } from "./eval-option.ts";
import { runEvals } from "./eval-run.ts";
import { scoreOffline } from "./eval-triggers.ts";

const INTERRUPTED = 130;

const optionSpecs = [
  triggersOption,
  evalsOption,
  { flags: "--rerun", summary: "run the task evals on every save as well" },
  runsOption,
  ...judgeOptions,
  ...runnerOptions,
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<folder>", summary: "the skill's folder" }],
  options: optionSpecs,
  examples: ["dev ./skills/pdf", "dev ./skills/pdf --rerun --runs 1 --budget-tokens 50000"],
  run,
});

/** Checks a skill now and after every save, until it is interrupted. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const { id, roots } = readSkillArgument(input.args[0] ?? "", io);
  if (roots.length === 0)
    throw new SkillError("PATH_NOT_FOUND", `${id} is not a folder.`, { hint: "Name the folder of a skill." });
  const onError = (error: unknown) => io.err(`warning: ${plain(messageOf(error))}\n`);
  return await withLibrary<ExitCode>(
    input,
    async ({ library }) => {
      const session = new DevSession(input);
      // One check after the other; each reads the files as they are by then.
      const checks = new SerialQueue();
      const check = () => void checks.run(() => session.check()).catch(onError);
      check();
      const stop = library.onChange(({ added, changed, removed, broken }) => {
        const isTouched = [...added, ...changed, ...removed, ...broken.map((each) => each.id)].includes(id);
        if (isTouched) check();
      });
      await untilAborted(io.signal);
      stop();
      await checks.idle();
      return INTERRUPTED;
    },
    { roots, watch: { onError } },
  );
}

interface DevReport {
  readonly treeHash?: string;
  readonly findings: readonly Diagnostic[];
  /** Undefined while the folder cannot be scanned. */
  readonly guard?: Pick<GuardReport, "verdict" | "findings">;
  readonly triggers?: OfflineReport;
  readonly evals?: TaskReport;
  /** Why there is no score. */
  readonly problem?: string;
}

class DevSession {
  readonly #input: CommandInput;
  #before: OfflineReport | undefined;

  constructor(input: CommandInput) {
    this.#input = input;
  }

  async check(): Promise<void> {
    const { io, args } = this.#input;
    const folder = resolve(io.cwd, args[0] ?? "");
    const findings = await validate(folder);
    const report = { findings, ...(await inspect(folder, io.signal)), ...(await this.#measure()) };
    if (io.json) printLine(io, { ok: true, data: report });
    else this.#print(report);
    this.#before = report.triggers ?? this.#before;
  }

  async #measure(): Promise<Omit<DevReport, "findings" | "guard">> {
    const { options } = this.#input;
    try {
      return await withEvalTarget(this.#input, async (target) => {
        const triggers = await this.#scoreTriggers(target);
        const evals = options["rerun"] === true ? await runEvals(target, this.#input) : undefined;
        if (evals !== undefined) await keepReport(evals, target, this.#input);
        return {
          treeHash: target.treeHash,
          ...(triggers === undefined ? {} : { triggers }),
          ...(evals === undefined ? {} : { evals }),
        };
      });
    } catch (error) {
      if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
      return { problem: error.message };
    }
  }

  async #scoreTriggers(target: EvalTarget): Promise<OfflineReport | undefined> {
    try {
      return await scoreOffline(target, this.#input);
    } catch (error) {
      // A skill need not have a trigger set.
      if (error instanceof SkillError && error.code === "PATH_NOT_FOUND") return undefined;
      throw error;
    }
  }

  #print({ findings, guard, triggers, evals, problem }: DevReport): void {
    const { io, args } = this.#input;
    io.out(`${new Date().toTimeString().slice(0, 8)} ${plain(args[0] ?? "")}\n`);
    for (const { severity, line, message } of findings)
      io.out(`  ${severity} line ${line}: ${plain(message)}\n`);
    if (findings.length === 0) io.out("  rules: no findings\n");
    if (guard !== undefined) {
      io.out(`  guard: ${guard.verdict}\n`);
      for (const { severity, file, line, message } of guard.findings)
        if (severity !== "info") io.out(`    ${severity} ${plain(file)}:${line} ${plain(message)}\n`);
    }
    if (problem !== undefined) io.out(`  not measured: ${plain(problem)}\n`);
    if (triggers !== undefined)
      io.out(`  triggers: first ${percent(triggers.hitAt1)}${this.#change(triggers)}\n`);
    for (const { name, passed, counts } of evals?.arms ?? [])
      io.out(`  ${name}: ${percent(passed)}, ${counts.error} errors, ${counts.timeout} timeouts\n`);
    if (evals?.comparison !== undefined) io.out(`  ${comparisonLine(evals.comparison)}\n`);
  }

  #change({ hitAt1 }: OfflineReport): string {
    const before = this.#before?.hitAt1?.value;
    if (before === undefined || hitAt1 === undefined || before === hitAt1.value) return "";
    return `, ${hitAt1.value > before ? "up" : "down"} from ${Math.round(100 * before)} %`;
  }
}

async function validate(path: string): Promise<readonly Diagnostic[]> {
  const opened = openSkill(path);
  return validateSkill(opened.skill, await surveySkill(opened), "publish").diagnostics;
}

/** The content guard on the folder; a folder that cannot be packed has no report. */
async function inspect(folder: string, signal: AbortSignal): Promise<Pick<DevReport, "guard">> {
  const { scanFolder } = await import("@skillhold/deps/guard-scan");
  try {
    const { verdict, findings } = await scanFolder(folder, signal);
    return { guard: { verdict, findings } };
  } catch (error) {
    if (error instanceof SkillError && error.code !== "INTERRUPTED") return {};
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
