import { readAgentManifest } from "@skillhold/core/session";
import { present } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { addAgent } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { accessWriteOptions, agentArgument, agentOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import {
  type AgentOptions,
  listIgnored,
  listLostPins,
  readAgentOptions,
  rejectUnknownIds,
} from "./agent-option.ts";

const optionSpecs = [
  ...agentOptions,
  { flags: "--owner <name>", summary: "set the user who owns the agent; by default you" },
  ...accessWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [agentArgument],
  options: optionSpecs,
  examples: [
    "agent add writer --runtime claude-code",
    "agent add reviewer --runtime codex --allow review-pr,pdf --pin pdf@2",
  ],
  run,
});

/** Adds an agent, so that skills can be granted to it. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [key = ""] = input.args;
  const given = readAgentOptions(input);
  const runtime = runtimeOf(given);
  await rejectUnknownIds({ ...given, runtime }, input);
  const owner = textOption(options, "owner");
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "write", async (opened) => {
    const { context, actor, flags } = opened;
    const agent = await addAgent({ ...given, key, runtime, ...present({ owner }) }, { by: actor }, context);
    const notes = [...listIgnored(given.manifest), ...(await listLostPins(agent.pins, opened, io))];
    if (io.json) {
      printData(io, { agent, notes, isDryRun });
      return 0;
    }
    io.out(`${key}: ${isDryRun ? "would be added" : "added"}, runtime ${plain(runtime)}\n`);
    for (const note of notes) io.err(`note: ${plain(note)}\n`);
    if (!isDryRun) io.err(`Run \`skillhold grant <skill> --agent ${key}${flags}\` to let it use a skill.\n`);
    return 0;
  });
}

function runtimeOf({ runtime, manifest }: AgentOptions): string {
  const reading = manifest === undefined ? undefined : readAgentManifest(manifest);
  const found = runtime ?? reading?.manifest?.runtime;
  if (found !== undefined) return found;
  const problem = reading?.problems.find(({ severity }) => severity === "error");
  if (problem !== undefined)
    throw new SkillError("USAGE", `The manifest is invalid: ${problem.message}`, {
      hint: "Fix the manifest and try again.",
    });
  throw new SkillError("USAGE", "--runtime is required.", {
    hint: "Add --runtime <name>, such as --runtime claude-code, or set `runtime` in the --manifest file.",
  });
}
