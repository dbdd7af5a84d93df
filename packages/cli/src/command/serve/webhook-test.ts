import { testWebhook } from "@skillhold/registry/webhook";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { webhookArgument, webhookOptions, withWebhook } from "./webhook-choice.ts";

export const command = defineCommand({
  arguments: [webhookArgument],
  options: webhookOptions,
  examples: ["webhook test chat.example.org"],
  run,
});

async function run(input: CommandInput<OptionsOf<typeof webhookOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withWebhook(input, "change", async ({ id, name }, { actor, context, flags }) => {
    const delivery = await testWebhook(id, actor, context);
    if (io.json) printData(io, { delivery });
    else {
      io.out(`${delivery.id}: a running gateway sends it to ${plain(name)}\n`);
      io.err(`Run \`skillhold webhook deliveries ${id.slice(0, 8)}${flags}\` to see the result.\n`);
    }
    return 0;
  });
}
