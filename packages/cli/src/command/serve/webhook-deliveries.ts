import type { Delivery } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { countOption } from "../../option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";
import { webhookArgument, webhookOptions, withWebhook } from "./webhook-choice.ts";

const optionSpecs = [
  { flags: "--limit <count>", summary: "list at most this many; by default 20" },
  ...webhookOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [webhookArgument],
  options: optionSpecs,
  examples: ["webhook deliveries chat.example.org"],
  run,
});

async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const limit = countOption(options, "limit", { min: 1, max: 1000 }) ?? 20;
  return await withWebhook(input, "read", async ({ id }, { context }) => {
    const deliveries = await context.store.listDeliveries({ webhook: id, limit });
    if (io.json) printData(io, { deliveries });
    else if (deliveries.length === 0) io.err("No deliveries.\n");
    else {
      const columns = ["ID", "AT", "EVENT", "STATE", "TRIES", "RESULT"].map((title) => ({ title }));
      const paint = await paintFor(io.color);
      const layout = { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim };
      io.out(formatTable(columns, deliveries.map(toCells), layout));
    }
    return 0;
  });
}

function toCells({ id, createdAt, type, state, attempts, status, error }: Delivery) {
  const result = error ?? (status === undefined ? "-" : String(status));
  return [id.slice(0, 8), createdAt, type, state, String(attempts), plain(result)];
}
