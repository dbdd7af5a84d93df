import type { Enforcement, LimitKind, SandboxProbe } from "@skillhold/core/run";
import { neutralText } from "@skillhold/core/text";
import { freshSandbox } from "@skillhold/host/run";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import type { SelfTestReport } from "@skillhold/sandbox/backend";
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
  const { isAvailable, problem, version, checks, enforced, network } = await sandbox
    .probe()
    .finally(progress.stop);
  if (checks.length === 0)
    throw new SkillError(
      "SANDBOX_UNAVAILABLE",
      problem?.message ?? "The sandbox does not confine processes.",
      problem === undefined ? {} : { hint: problem.hint },
    );
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

async function printReport(
  io: Io,
  name: string,
  { checks, enforced }: SelfTestReport,
  network: SandboxProbe["network"],
): Promise<void> {
  const paint = await paintFor(io.color);
  io.out(`${paint.bold(neutralText(name))}\n`);
  for (const { title, isConfined, detail } of checks) {
    const mark = isConfined ? paint.green("held  ") : paint.red("broken");
    io.out(`  ${mark}  ${neutralText(title)} ${paint.dim(`(${neutralText(detail, 120)})`)}\n`);
  }
  io.out("limits\n");
  for (const kind of kinds) io.out(`  ${kind.padEnd(10)}  ${ENFORCED[enforced[kind]]}\n`);
  io.out(`network\n  ${NETWORKS[network ?? "none"]}\n`);
  const broken = checks.filter(({ isConfined }) => !isConfined).length;
  io.err(`${count(checks.length - broken, "attempt")} held, ${broken} not\n`);
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
