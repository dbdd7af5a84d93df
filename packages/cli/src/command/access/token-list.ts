import { neutralText } from "@skillhold/core/text";
import { listTokens, type TokenRecord } from "@skillhold/registry/token";
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
  examples: ["token list"],
  run,
});

/** Lists the tokens of programs and of signed-in browsers. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "read", async ({ context, flags }) => {
    const tokens = await listTokens(context);
    if (io.json) printData(io, { tokens });
    else if (tokens.length > 0) await printTokens(io, tokens, context.clock.now());
    else
      io.err(
        `No tokens. Run \`skillhold token create --name <text> --role <name>${flags}\` to create one.\n`,
      );
    return 0;
  });
}

async function printTokens(io: Io, tokens: readonly TokenRecord[], now: Date): Promise<void> {
  const paint = await paintFor(io.color);
  const columns = [
    { title: "ID" },
    { title: "FOR" },
    { title: "ROLE" },
    { title: "USER", most: 20 },
    { title: "AGENT", most: 20 },
    { title: "UNTIL" },
    { title: "USED" },
    { title: "NAME" },
  ];
  const rows = tokens.map((token) => {
    const { id, kind, role, user, agent = "-", lastUsedAt = "never", name } = token;
    const bearer = kind === "session" ? "browser" : "program";
    const cells = [id, bearer, role, user, agent, untilOf(token, now), lastUsedAt, name];
    return cells.map((cell) => neutralText(cell));
  });
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  io.err(`${count(tokens.length, "token")}\n`);
}

function untilOf({ revokedAt, expiresAt }: TokenRecord, now: Date): string {
  if (revokedAt !== undefined) return "revoked";
  return Date.parse(expiresAt) <= now.getTime() ? "expired" : expiresAt;
}
