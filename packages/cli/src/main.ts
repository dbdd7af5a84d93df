import { resolve } from "node:path";
import type { CommandRow } from "./command.ts";
import { commandTable } from "./command-table.ts";
import { asksForOverview, formatOverview } from "./overview.ts";
import type { Invocation } from "./program.ts";
import { findCommandName } from "./terminal/command-name.ts";
import type { SignalSource } from "./terminal/interrupt.ts";
import type { ExitCode, Io } from "./terminal/output.ts";
import { type CommandHost, openTerminal, withHints } from "./terminal/terminal.ts";

/** The command line: arguments in, an exit code out. This is the only place that prints failures. */
export async function main(
  argv: readonly string[],
  host: CommandHost = processHost(),
  table: readonly CommandRow[] = commandTable,
): Promise<ExitCode> {
  const interrupt = new AbortController();
  let io = openTerminal(host, wantsJson(argv), interrupt.signal);
  try {
    if (asksForOverview(argv)) {
      io.out(formatOverview(table));
      return 0;
    }
    const [{ parseCommandLine }, { productVersion }] = await Promise.all([
      import("./program.ts"),
      import("@skillhold/host/place"),
    ]);
    const invocation = await parseCommandLine(argv, table, { io, version: productVersion() });
    if (typeof invocation === "number") return invocation;
    io = withHints(io, invocation.options);
    return await runCommand(invocation, io, { interrupt, source: host });
  } catch (error) {
    const { printFailure } = await import("./terminal/output.ts");
    return await printFailure(io, error);
  }
}

/** This process. The name of its command is found when a message needs it. */
function processHost(): CommandHost {
  const { stdout, stderr, env, platform } = process;
  const launcher = process.argv[1] ?? "skillhold";
  let name: string | undefined;
  return {
    ...{ stdout, stderr, env },
    // Opened on demand, because few commands read it.
    get stdin() {
      return process.stdin;
    },
    cwd: () => process.cwd(),
    on: (event, listener) => process.on(event, listener),
    off: (event, listener) => process.off(event, listener),
    command: () => {
      name ??= findCommandName({ env, cwd: process.cwd(), launcher, platform });
      return name;
    },
  };
}

/** Reads the raw arguments, because usage errors are printed before parsing ends. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}

interface Stop {
  readonly interrupt: AbortController;
  readonly source: SignalSource;
}

async function runCommand(invocation: Invocation, io: Io, { interrupt, source }: Stop): Promise<ExitCode> {
  const { untilInterrupted } = await import("./terminal/interrupt.ts");
  const { command, args, options, table } = invocation;
  const cwd = await resolveCwd(io.cwd, invocation.cwd);
  const run = () => command.run({ args, options, table, io: { ...io, cwd } });
  const { graceMs } = command;
  // A command that serves, or that returns the exit code of an interrupt, was waiting for the interrupt.
  const isEnd = (code: ExitCode) => code === 130 || graceMs !== undefined;
  return await untilInterrupted(interrupt, source, run, {
    isEnd,
    ...(graceMs === undefined ? {} : { graceMs }),
  });
}

async function resolveCwd(current: string, given: string | undefined): Promise<string> {
  const cwd = resolve(current, given ?? ".");
  if (given === undefined) return cwd;
  const { statPath } = await import("@skillhold/host/place");
  if (statPath(cwd, given)?.isDirectory()) return cwd;
  const { SkillError } = await import("@skillhold/protocol/error");
  throw new SkillError("PATH_NOT_FOUND", `${given} is not a folder. Set -C to a folder.`, {
    details: { cwd },
  });
}
