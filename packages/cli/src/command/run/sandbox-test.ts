import type { Enforcement, LimitKind, Sandbox, SandboxProbe } from "@skillhold/core/run";
import { neutralText } from "@skillhold/core/text";
import { freshSandbox } from "@skillhold/host/run";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import { type SelfTestReport, tryLimits } from "@skillhold/sandbox/backend";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { openProgress } from "../../terminal/progress.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["sandbox test", "sandbox test --json"],
  run,
});

/** Tries to break out of the sandbox and prints the results and the enforced limits. Ignores cached results. */
async function run({ io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const sandbox = freshSandbox();
  const progress = openProgress(io, "trying", { afterMs: 100 });
  const { isAvailable, problem, version, network, ...probed } = await sandbox.probe().finally(progress.stop);
  if (probed.checks.length === 0)
    throw new SkillError(
      "SANDBOX_UNAVAILABLE",
      problem?.message ?? "The sandbox does not confine processes.",
      problem === undefined ? {} : { hint: problem.hint },
    );
  const { checks, enforced } = await withTrials(sandbox, probed, io);
  if (io.json)
    printData(io, {
      sandbox: sandbox.id,
      version,
      isConfined: isAvailable,
      checks,
      enforced,
      network: network ?? "none",
    });
  else await printReport(io, `${sandbox.id} ${version ?? ""}`.trim(), { checks, enforced }, network);
  return isAvailable ? 0 : errorTable.SANDBOX_UNAVAILABLE.exit;
}

/** Adds trials of the limits that end a run, which take longer than the start of a command may. */
async function withTrials(sandbox: Sandbox, probed: SelfTestReport, io: Io): Promise<SelfTestReport> {
  const progress = openProgress(io, "exceeding limits", { afterMs: 100 });
  const { checks, enforced } = await tryLimits(sandbox, probed.enforced).finally(progress.stop);
  return { checks: [...probed.checks, ...checks], enforced };
}

async function printReport(
  io: Io,
  name: string,
  { checks, enforced }: SelfTestReport,
  network: SandboxProbe["network"],
): Promise<void> {
  const paint = await paintFor(io.color);
  io.out(`${paint.bold(neutralText(name))}\n`);
  for (const { title, isConfined, detail } of checks) {
    const mark = isConfined ? paint.green("ok    ") : paint.red("failed");
    io.out(`  ${mark}  ${neutralText(title)} ${paint.dim(`(${neutralText(detail, 120)})`)}\n`);
  }
  io.out("limits\n");
  for (const kind of kinds) io.out(`  ${kind.padEnd(10)}  ${ENFORCED[enforced[kind]]}\n`);
  io.out(`network\n  ${NETWORKS[network ?? "none"]}\n`);
  const broken = checks.filter(({ isConfined }) => !isConfined).length;
  io.err(`${count(checks.length - broken, "check")} passed, ${broken} failed\n`);
}

const NETWORKS = {
  proxy: "own namespace; hosts are reached through the egress proxy",
  none: "runs get no network",
} as const;

const kinds: readonly LimitKind[] = ["wall", "cpu", "memory", "processes", "disk", "output"];

const ENFORCED: Readonly<Record<Enforcement, string>> = {
  run: "enforced for the whole run",
  sampled: "enforced for the whole run, by a look every tenth of a second",
  process: "enforced for each process, not for the whole run",
  none: "not enforced",
};
