import { cacheRuntimes, checkRuntimes } from "@skillhold/deps/environment";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { printTable } from "./dependency-report.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["runtimes", "runtimes --json"],
  run,
});

/** Lists the interpreters and package managers of this machine. */
async function run({ io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { env, signal } = io;
  const platform = process.platform;
  const report = await checkRuntimes({ env, signal, platform, findRuntime: cacheRuntimes() });
  io.signal.throwIfAborted();
  if (io.json) {
    printData(io, report);
    return 0;
  }
  const columns = ["NAME", "STATE", "VERSION", "NEEDED", "PATH"].map((title) => ({ title }));
  const rows = report.runtimes.map(({ name, available, version = "-", required, path = "-" }) => [
    name,
    available ? "found" : "missing",
    version,
    required ? "yes" : "no",
    path,
  ]);
  await printTable(io, columns, rows);
  io.err(report.ready ? "This machine is ready.\n" : "Some required programs are missing.\n");
  return 0;
}
