import { resolve } from "node:path";
import type { Network, ScriptOptions, ScriptRun } from "@skillhold/core/run";
import { present } from "@skillhold/host/place";
import { allowsUnsandboxed } from "@skillhold/host/run";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { readMounts } from "../../mount.ts";
import { listOption, textOption } from "../../option.ts";
import { idArgument, libraryOptions, runGrantOptions } from "../../shared-option.ts";
import { withOutFolder } from "../../terminal/out-path.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { readPiped } from "../../terminal/piped.ts";
import { openLiveOutput } from "./live-output.ts";
import { exitCodeOf, printEnd } from "./run-report.ts";
import { withSession } from "./run-session.ts";

const optionSpecs = [
  ...runGrantOptions,
  { flags: "--stdin", summary: "pass standard input to the script" },
  { flags: "--out <folder>", summary: "keep the files that the script writes in this empty or new folder" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    { usage: "<script>", summary: "the script's path in the skill; `scripts/` is optional" },
    {
      usage: "[args...]",
      summary: "the script's arguments; put arguments that start with a dash after `--`",
    },
  ],
  options: optionSpecs,
  examples: [
    "run pdf pdf.mjs -- --help",
    "run pdf pdf.mjs --mount ./in --out ./out -- merge /mnt/in/a.pdf /mnt/in/b.pdf --out both.pdf",
  ],
  run,
});

/** Runs a script of a skill, prints its output and exits with its code. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const request = await readRequest(input);
  const out = textOption(options, "out");
  const result =
    out === undefined
      ? await runInSession(input, request)
      : await withOutFolder(resolve(io.cwd, out), out, (outputs) =>
          runInSession(input, { ...request, outputs }),
        );
  io.signal.throwIfAborted();
  if (io.json) printData(io, result);
  else printEnd(io, result);
  return exitCodeOf(result);
}

/** Contract: rejects every usage error before an approval question or a run. */
async function readRequest({ io, args, options }: CommandInput): Promise<ScriptOptions> {
  const network = readNetwork(options);
  const mounts = readMounts(listOption(options, "mount"), io.cwd);
  const stdin = options["stdin"] === true ? await readInput(io) : undefined;
  const isUnsandboxed = options["unsandboxed"] === true;
  if (isUnsandboxed && !allowsUnsandboxed(io.env))
    io.err("note: --unsandboxed has no effect without SKILLHOLD_ALLOW_UNSANDBOXED=1.\n");
  return { args: args.slice(2), mounts, isUnsandboxed, signal: io.signal, ...present({ network, stdin }) };
}

async function runInSession(input: CommandInput, request: ScriptOptions): Promise<ScriptRun> {
  const [wanted = "", script = ""] = input.args;
  return await withSession(input, async (running) => {
    const { id } = await getEntry(running, wanted);
    return await watch(input.io, (watched) => running.session.run(id, script, { ...request, ...watched }));
  });
}

function readNetwork(options: CommandInput["options"]): Network | undefined {
  const hosts = listOption(options, "networkHost");
  if (options["network"] !== true) return hosts.length > 0 ? { hosts } : undefined;
  if (hosts.length === 0) return "open";
  throw new SkillError(
    "USAGE",
    "--network and --network-host exclude each other: --network allows the hosts that the skill declares.",
    {
      hint: "Use one of them.",
    },
  );
}

const MAX_INPUT = 64 * 1024 * 1024;

async function readInput(io: Io): Promise<Buffer> {
  const piped = await readPiped(io, MAX_INPUT);
  if (piped !== undefined) return piped;
  throw new SkillError("USAGE", "--stdin needs piped input, but standard input is a terminal.", {
    hint: "Run `… | skillhold run <id> <script> --stdin`, or omit --stdin.",
  });
}

async function watch(
  io: Io,
  start: (watched: Pick<ScriptOptions, "onOutput">) => Promise<ScriptRun>,
): Promise<ScriptRun> {
  if (io.json) return await start({});
  const live = openLiveOutput(io);
  try {
    return await start({ onOutput: live.push });
  } finally {
    live.end();
  }
}
