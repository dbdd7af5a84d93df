import { resolve } from "node:path";
import { storeUrl } from "@skillhold/host/place";
import { checkpointsOf, findOwnKey } from "@skillhold/host/store";
import { errorTable, SkillError } from "@skillhold/protocol/error";
import {
  type AuditReport,
  checkpointFile,
  findTrustedKey,
  type TrustedKey,
  verifyAudit,
} from "@skillhold/registry/audit";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { listOption, textOption } from "../../option.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--key <file>", summary: "also trust signatures of this public key; repeatable", repeats: true },
  {
    flags: "--checkpoints <file>",
    summary: "also compare with the checkpoints in this file; repeatable",
    repeats: true,
  },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["audit verify", "audit verify --key colleague.pub --store postgres://localhost/skills"],
  run,
});

/** Verifies the audit log; exits with the code of INTEGRITY_FAILED when it is damaged. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const keys = await readKeys(input);
  const witnessed = await readNotes(input);
  return await withRegistry<ExitCode>(input, "read", async ({ context }) => {
    const report = await verifyAudit(context.store, { keys, witnessed, signal: io.signal });
    if (io.json) printData(io, report);
    else await printReport(io, report, keys.length > 0);
    return report.isSound ? 0 : errorTable.INTEGRITY_FAILED.exit;
  });
}

async function readKeys({ io, options }: CommandInput): Promise<readonly TrustedKey[]> {
  const own = await findOwnKey(storeUrl(textOption(options, "store"), io), io);
  const others = await Promise.all(
    listOption(options, "key").map(async (label) => {
      const key = await findTrustedKey(resolve(io.cwd, label));
      if (key === undefined) throw new SkillError("PATH_NOT_FOUND", `The key file ${label} does not exist.`);
      return key;
    }),
  );
  return own === undefined ? others : [own, ...others];
}

async function readNotes({ io, options }: CommandInput): Promise<readonly string[]> {
  const own = await checkpointsOf(storeUrl(textOption(options, "store"), io), io).read();
  const others = await Promise.all(
    listOption(options, "checkpoints").map((label) => checkpointFile(resolve(io.cwd, label)).read()),
  );
  return [own, ...others].flat();
}

async function printReport(io: Io, report: AuditReport, hasKey: boolean): Promise<void> {
  const { entries, isSound, isSigned, witnessed, problems, problemCount, checkpoint } = report;
  const paint = await paintFor(io.color);
  for (const { seq, code, message } of problems)
    io.out(`${paint.red(code)}${seq === undefined ? "" : ` ${seq}`}: ${plain(message)}\n`);
  if (problemCount > problems.length) io.out(`… and ${problemCount - problems.length} more\n`);
  const signed = isSigned ? ", signed" : "";
  const notes = witnessed === 0 ? "" : `, compared with ${count(witnessed, "checkpoint")}`;
  io.err(
    `${entries} ${entries === 1 ? "entry" : "entries"}${notes}${signed}: ${isSound ? "sound" : "NOT sound"}\n`,
  );
  if (checkpoint !== undefined) io.err(`root ${checkpoint.root} of ${plain(checkpoint.origin)}\n`);
  if (!hasKey && entries > 0)
    io.err("No key was available, so a truncated or rewritten end of the log would go unnoticed.\n");
}
