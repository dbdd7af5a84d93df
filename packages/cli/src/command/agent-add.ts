import { readManifest } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { addAgent } from "@skillhold/registry/access";
import { type AgentOptions, listIgnored, readAgentOptions } from "../agent-option.ts";
import { present, textOption } from "../option.ts";
import { type ExitCode, plain, printData } from "../output.ts";
import { listLostPins } from "../pin-note.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";

/** Puts an agent on record, so that skills can be granted to it. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [key = ""] = input.args;
  const said = readAgentOptions(input);
  const runtime = runtimeOf(said);
  const owner = textOption(options, "owner");
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "write", async (opened) => {
    const { context, actor, flags } = opened;
    const agent = await addAgent({ ...said, key, runtime, ...present({ owner }) }, { by: actor }, context);
    const notes = [...listIgnored(said.manifest), ...(await listLostPins(agent.pins, opened, io))];
    if (io.json) {
      printData(io, { agent, notes, isDryRun });
      return 0;
    }
    io.out(`${key}: ${isDryRun ? "would be added" : "added"}, runtime ${plain(runtime)}\n`);
    for (const note of notes) io.err(`note: ${plain(note)}\n`);
    if (!isDryRun) io.err(`\`skillhold grant <skill> --agent ${key}${flags}\` lets it use a skill.\n`);
    return 0;
  });
}

function runtimeOf({ runtime, manifest }: AgentOptions): string {
  const reading = manifest === undefined ? undefined : readManifest(manifest);
  const found = runtime ?? reading?.manifest?.runtime;
  if (found !== undefined) return found;
  const problem = reading?.problems.find(({ severity }) => severity === "error");
  if (problem !== undefined)
    throw new SkillError("USAGE", `The manifest cannot be used: ${problem.message}`, {
      hint: "Correct what the message names.",
    });
  throw new SkillError("USAGE", "An agent has a runtime.", {
    hint: "Name it with --runtime, such as --runtime claude-code, or in the file of --manifest.",
  });
}
