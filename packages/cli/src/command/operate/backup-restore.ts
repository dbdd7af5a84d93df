import { resolve } from "node:path";
import { storeUrl } from "@skillhold/host/place";
import { findOwnKey, restoreFromBackup } from "@skillhold/host/store";
import { errorTable } from "@skillhold/protocol/error";
import { verifyAudit } from "@skillhold/registry/audit";
import { fsck } from "@skillhold/registry/fsck";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { commandElsewhere } from "../../library-choice.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { withDataFolder } from "../serve/serve-option.ts";

const optionSpecs = [
  {
    flags: "--data <folder>",
    summary: "restore keys and settings to this folder; by default your data folder",
  },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<file>", summary: "the backup to restore" }],
  options: optionSpecs,
  examples: [
    "backup restore skillhold.tar.gz --data restored",
    "backup restore skillhold.tar.gz --store postgres://localhost/skills",
  ],
  run,
});

/** Restores into an empty store, then verifies the store and the audit log. */
async function run({
  args,
  options,
  io: given,
}: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [label = ""] = args;
  const io = withDataFolder(options, given);
  const { summary } = await restoreFromBackup(storeUrl(options.store, io), resolve(io.cwd, label), io);
  return await withRegistry<ExitCode>({ options, io }, "read", async ({ context, copies }) => {
    const own = await findOwnKey(storeUrl(options.store, io), io);
    const report = await fsck({ copies }, context);
    const audit = await verifyAudit(context.store, {
      keys: own === undefined ? [] : [own],
      signal: io.signal,
    });
    const isSound = report.isClean && audit.isSound;
    if (io.json) printData(io, { ...summary, store: report, audit });
    else {
      const { skills, revisions, events } = report.checked;
      const content = `${count(skills, "skill")}, ${count(revisions, "revision")}, ${count(events, "event")}`;
      io.out(`${plain(label)}: restored ${content}: ${isSound ? "sound" : "damaged"}\n`);
      const [check, verify] = ["fsck", "audit verify"].map((words) => commandElsewhere(words, options, io));
      if (!isSound) io.err(plain(`Run \`${check}\` and \`${verify}\` for the findings.\n`));
    }
    return isSound ? 0 : errorTable.INTEGRITY_FAILED.exit;
  });
}
