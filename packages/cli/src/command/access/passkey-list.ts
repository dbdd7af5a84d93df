import { neutralText } from "@skillhold/core/text";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<user>", summary: "the person's user name" }],
  options: optionSpecs,
  examples: ["passkey list ann"],
  run,
});

/** Lists the passkeys of a person. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [user = ""] = input.args;
  return await withRegistry<ExitCode>(input, "read", async ({ context }) => {
    const passkeys = (await context.store.listPasskeys(user)).map(({ id, name, createdAt, lastUsedAt }) => ({
      ...{ id, user, name, createdAt, lastUsedAt },
    }));
    if (io.json) {
      printData(io, { passkeys });
      return 0;
    }
    if (passkeys.length === 0) {
      io.err(`${plain(user)} has no passkeys. They are added in the console, under Settings.\n`);
      return 0;
    }
    const paint = await paintFor(io.color);
    const columns = [{ title: "ID" }, { title: "ADDED" }, { title: "USED" }, { title: "NAME" }];
    const rows = passkeys.map(({ id, name, createdAt, lastUsedAt = "never" }) =>
      [id, createdAt, lastUsedAt, name].map((cell) => neutralText(cell)),
    );
    io.out(
      formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }),
    );
    io.err(`${count(passkeys.length, "passkey")}\n`);
    return 0;
  });
}
