import { redeliver } from "@skillhold/registry/webhook";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { findDelivery, webhookArgument, webhookOptions, withWebhook } from "./webhook-choice.ts";

export const command = defineCommand({
  arguments: [
    webhookArgument,
    { usage: "<delivery>", summary: "the delivery's id, or the first characters of it" },
  ],
  options: webhookOptions,
  examples: ["webhook redeliver chat.example.org 7b0c1a52"],
  run,
});

async function run(input: CommandInput<OptionsOf<typeof webhookOptions>>): Promise<ExitCode> {
  const { io } = input;
  const [, start = ""] = input.args;
  return await withWebhook(input, "change", async (webhook, { actor: by, context }) => {
    const { id } = await findDelivery(start, webhook, context);
    const delivery = await redeliver(id, { webhook: webhook.id, by }, context);
    if (io.json) printData(io, { delivery });
    else io.out(`${id}: a running gateway sends it again\n`);
    return 0;
  });
}
