import { neutralText } from "@skillhold/core/text";
import { listAgents } from "@skillhold/registry/access";
import type { AgentRecord } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["agent list"],
  run,
});

/** Lists the agents of the store. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "read", async ({ context, flags }) => {
    const agents = await listAgents(context);
    if (io.json) printData(io, { agents });
    else if (agents.length > 0) await printAgents(io, agents);
    else io.err(`No agents. Run \`skillhold agent add <key> --runtime <name>${flags}\` to add one.\n`);
    return 0;
  });
}

async function printAgents(io: Io, agents: readonly AgentRecord[]): Promise<void> {
  const paint = await paintFor(io.color);
  const columns = [
    { title: "KEY", most: 36 },
    { title: "RUNTIME", most: 20 },
    { title: "SKILLS" },
    { title: "PINS" },
    { title: "OWNER", most: 20 },
    { title: "NAME" },
  ];
  const rows = agents.map(({ key, runtime, allow, pins, owner, displayName }) =>
    [key, runtime, limitOf(allow), String(Object.keys(pins).length), owner, displayName].map((cell) =>
      neutralText(cell),
    ),
  );
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  io.err(`${count(agents.length, "agent")}\n`);
}

function limitOf(allow: AgentRecord["allow"]): string {
  if (allow === undefined) return "all";
  return allow.length === 0 ? "none" : String(allow.length);
}
