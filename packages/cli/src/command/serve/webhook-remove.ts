import { removeWebhook } from "@skillhold/registry/webhook";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { toView, webhookArgument, webhookOptions, withWebhook } from "./webhook-choice.ts";

export const command = defineCommand({
  arguments: [webhookArgument],
  options: webhookOptions,
  examples: ["webhook remove chat.example.org"],
  run,
});

async function run(input: CommandInput<OptionsOf<typeof webhookOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withWebhook(input, "change", async ({ id }, { actor, context }) => {
    const removed = await removeWebhook(id, actor, context);
    if (io.json) printData(io, { webhook: toView(removed) });
    else io.out(`${id}: removed, ${plain(removed.name)}\n`);
    return 0;
  });
}
