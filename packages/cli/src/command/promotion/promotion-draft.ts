import { checkRepetition, draftSkill, readPacket, writeDraft } from "@skillhold/registry/promotion";
import { applyChange, stageProposed } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import {
  getOwnAgent,
  packetArgument,
  packetOptions,
  readPacketFile,
  withAuthor,
} from "./promotion-packet.ts";

const optionSpecs = [...packetOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [packetArgument],
  options: optionSpecs,
  examples: [
    "promotion draft packet.json --agent writer",
    "promotion draft packet.json --agent writer --runner claude",
  ],
  run,
});

/** Prints the draft of a packet with its findings, and stores nothing. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const packet = readPacket(readPacketFile(input));
  return await withRegistry<ExitCode>(input, "read", async (opened) => {
    const { key } = await getOwnAgent(input, opened);
    const checked = await checkRepetition(key, packet, opened.context.store);
    const { id, text, report } = await withMissingHook(input, opened.context, (hooked) =>
      withAuthor(input, hooked, async (context) => {
        const draft = await writeDraft(draftSkill(packet, checked), packet, checked, context);
        const change = { files: [{ path: "SKILL.md", content: draft.text }] };
        const staged = await stageProposed(applyChange([], change, context.limits), draft.id, context.limits);
        return { ...draft, report: await context.hooks?.inspect?.(staged, io.signal) };
      }),
    );
    const { workflow, claimed, found, verdict } = checked;
    const { verdict: guard = "clean", findings = [] } = report ?? {};
    if (io.json)
      printData(io, { id, text, repetition: { workflow, claimed, found, verdict }, guard, findings });
    else {
      io.out(text);
      for (const { severity, file, line, message } of findings)
        io.err(`${severity}: ${plain(`${file}:${line}: ${message}`)}\n`);
      io.err(`${verdict}: the log has ${count(found, "session")} of ${claimed}\n`);
    }
    return guard === "block" ? 1 : 0;
  });
}
