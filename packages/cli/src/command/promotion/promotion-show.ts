import { neutralText } from "@skillhold/core/text";
import { permissionsOf, readTree } from "@skillhold/registry/proposal";
import { currentGeneration } from "@skillhold/registry/record";
import { findSkillFile } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";
import { proposalOptions } from "../proposal/proposal-choice.ts";
import { findPromotion, promotionArgument } from "./promotion-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [promotionArgument],
  options: optionSpecs,
  examples: ["promotion show 3f2a"],
  run,
});

/** Shows a promoted workflow: its repetition, the sessions that prove it, and the proposed skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [start = ""] = input.args;
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor, flags }) => {
    const promotion = await findPromotion(start, actor, context);
    const files = await readTree(currentGeneration(promotion).candidate, context.store);
    const text = new TextDecoder().decode(findSkillFile(files)?.content);
    const may = await permissionsOf(promotion, actor, context);
    if (io.json) {
      printData(io, { ...promotion, text, may });
      return 0;
    }
    const { skill, kind, state, author, repetition, evidence } = promotion;
    const paint = await paintFor(io.color);
    const line = (name: string, value: string) =>
      io.out(`${paint.dim(`${name}:`)} ${neutralText(value, 500)}\n`);
    io.out(
      `${paint.bold(`${kind === "create" ? "New skill" : "Change of"} ${skill}`)} ${paint.dim(promotion.id)}\n`,
    );
    line("state", state);
    line("agent", `${author.agent ?? ""} (${author.user})`);
    if (repetition !== undefined) {
      const { workflow, verdict, found, claimed } = repetition;
      line("workflow", workflow);
      line("repetition", `${verdict}, ${found} in the log, ${claimed} claimed`);
    }
    for (const each of evidence) if (each.kind !== "run") line(each.kind, each.value);
    io.out(`\n${plain(text.trimEnd())}\n`);
    if (may.approve || may.apply)
      io.err(`Run \`skillhold promotion decide ${start} approve${flags}\` or reject it.\n`);
    return 0;
  });
}
