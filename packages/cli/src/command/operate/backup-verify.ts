import { resolve } from "node:path";
import { verifyBackup } from "@skillhold/host/store";
import { type CommandInput, defineCommand } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count, formatSize } from "../../terminal/text.ts";

export const command = defineCommand({
  arguments: [{ usage: "<file>", summary: "the backup to check" }],
  options: [],
  examples: ["backup verify skillhold.tar.gz"],
  run,
});

/** Reads a whole backup and checks its digest. */
async function run({ args, io }: CommandInput): Promise<ExitCode> {
  const [label = ""] = args;
  const { manifest, summary } = await verifyBackup(resolve(io.cwd, label));
  if (io.json) {
    printData(io, { ...manifest, ...summary });
    return 0;
  }
  const { rows, blobs, bytes } = summary;
  const content = `${count(rows, "row")}, ${count(blobs, "blob")} (${formatSize(bytes)})`;
  io.out(`${plain(label)}: complete, ${manifest.engine}, ${manifest.createdAt}, ${content}\n`);
  return 0;
}
