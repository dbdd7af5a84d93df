import type { SecretName } from "@skillhold/core/secret";
import { neutralText } from "@skillhold/core/text";
import { present } from "@skillhold/host/place";
import { withState } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--agent <id>", summary: "list only the secrets of this agent" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[id]", summary: "list only the secrets of this skill" }],
  options: optionSpecs,
  examples: ["secret list"],
  run,
});

/** Lists secrets by name, never their values. */
async function run({ io, args, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [skill] = args;
  const agent = textOption(options, "agent");
  if (skill === undefined && agent !== undefined)
    throw new SkillError("USAGE", "--agent needs a skill.", { hint: "secret list <id> --agent <id>" });
  return await withState<ExitCode>(io, async ({ secrets }) => {
    const names = await secrets.list(skill === undefined ? undefined : { skill, ...present({ agent }) });
    // Fields are copied one by one, so that no other field of a store is ever printed.
    const shown = names.map((each) => ({
      skill: each.skill,
      name: each.name,
      setAt: each.setAt,
      ...present({ agent: each.agent }),
    }));
    if (io.json) printData(io, { secrets: shown });
    else await printNames(io, shown);
    return 0;
  });
}

async function printNames(io: Io, names: readonly SecretName[]): Promise<void> {
  if (names.length > 0) {
    const paint = await paintFor(io.color);
    const columns = [{ title: "SKILL", most: 36 }, { title: "NAME" }, { title: "AGENT" }, { title: "SET" }];
    const rows = names.map(({ skill, name, agent = "all", setAt }) =>
      [skill, name, agent, setAt].map((cell) => neutralText(cell)),
    );
    io.out(
      formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }),
    );
  }
  io.err(`${count(names.length, "secret")}\n`);
}
