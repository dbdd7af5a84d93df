import { checkRuntimes, rememberRuntimes } from "@skillhold/deps/environment";
import { printTable } from "../dependency-report.ts";
import { type ExitCode, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";

/** Lists what this machine has to run skills with, and to install what they need. */
export async function run({ io }: CommandInput): Promise<ExitCode> {
  const { env, signal } = io;
  const platform = process.platform;
  const report = await checkRuntimes({ env, signal, platform, findRuntime: rememberRuntimes() });
  io.signal.throwIfAborted();
  if (io.json) {
    printData(io, report);
    return 0;
  }
  const columns = ["NAME", "STATE", "VERSION", "NEEDED", "PATH"].map((title) => ({ title }));
  const rows = report.runtimes.map(({ name, available, version = "-", required, path = "-" }) => [
    name,
    available ? "there" : "missing",
    version,
    required ? "yes" : "no",
    path,
  ]);
  await printTable(io, columns, rows);
  io.err(report.ready ? "This machine is ready.\n" : "Not all that is needed is there.\n");
  return 0;
}
