import { enableWebhook } from "@skillhold/registry/webhook";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { plain, printData } from "../../terminal/output.ts";
import { toView, webhookArgument, webhookOptions, withWebhook } from "./webhook-choice.ts";

/** The commands `pause` and `resume`. */
export function switchCommand(verb: "pause" | "resume") {
  const isEnabled = verb === "resume";
  return defineCommand({
    arguments: [webhookArgument],
    options: webhookOptions,
    examples: [`webhook ${verb} chat.example.org`],
    run: (input: CommandInput<OptionsOf<typeof webhookOptions>>) =>
      withWebhook(input, "change", async ({ id }, { actor, context }) => {
        const { io } = input;
        const webhook = await enableWebhook(id, isEnabled, actor, context);
        if (io.json) printData(io, { webhook: toView(webhook) });
        else io.out(`${id}: ${isEnabled ? "resumed" : "paused"}, ${plain(webhook.name)}\n`);
        return 0;
      }),
  });
}
