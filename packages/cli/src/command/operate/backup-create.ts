import { resolve } from "node:path";
import { storeUrl } from "@skillhold/host/place";
import { createBackup } from "@skillhold/host/store";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { storeOption } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--without-keys", summary: "leave out keys, secrets and approvals" },
  storeOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<file>", summary: "the file to write, for example backup.tar.gz" }],
  options: optionSpecs,
  examples: [
    "backup create skillhold.tar.gz",
    "backup create skillhold.tar.gz --store postgres://localhost/skills",
  ],
  run,
});

/** Backs up the store while it is in use. */
async function run({ args, options, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [label = ""] = args;
  const file = resolve(io.cwd, label);
  const withKeys = options.withoutKeys !== true;
  const summary = await createBackup(storeUrl(options.store, io), file, io, { withKeys });
  if (io.json) {
    printData(io, { file, ...summary });
    return 0;
  }
  const { rows, blobs, files, bytes } = summary;
  io.out(
    `${plain(label)}: ${count(rows, "row")}, ${count(blobs, "blob")}, ${count(files, "file")} (${formatSize(bytes)})\n`,
  );
  if (withKeys) io.err("The backup contains your keys and secrets. Store it as safely as the data folder.\n");
  return 0;
}
