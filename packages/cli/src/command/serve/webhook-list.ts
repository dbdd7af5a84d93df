import type { Delivery, Webhook } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { paintFor } from "../../terminal/text.ts";
import { asIssuer } from "../access/token-issuer.ts";
import { toView, webhookOptions } from "./webhook-choice.ts";

export const command = defineCommand({
  arguments: [],
  options: webhookOptions,
  examples: ["webhook list"],
  run,
});

async function run(input: CommandInput<OptionsOf<typeof webhookOptions>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(
    asIssuer(input, input.options["by"]),
    "read",
    async ({ context, flags }) => {
      const { store } = context;
      const found = await Promise.all(
        (await store.listWebhooks()).map(async (webhook) => {
          const [last] = await store.listDeliveries({ webhook: webhook.id, limit: 1 });
          return { webhook, last };
        }),
      );
      if (io.json)
        printData(io, { webhooks: found.map(({ webhook, last }) => ({ ...toView(webhook), last })) });
      else if (found.length === 0)
        io.err(`No webhooks. Run \`skillhold webhook add <url>${flags}\` to add one.\n`);
      else {
        const columns = ["ID", "STATE", "TOPICS", "LAST", "NAME", "URL"].map((title) => ({ title }));
        const paint = await paintFor(io.color);
        const layout = { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim };
        io.out(formatTable(columns, found.map(toCells), layout));
      }
      return 0;
    },
  );
}

function toCells({ webhook, last }: { readonly webhook: Webhook; readonly last: Delivery | undefined }) {
  const { id, isEnabled, topics, name, url } = webhook;
  const state = isEnabled ? "active" : "paused";
  return [id.slice(0, 8), state, topics.join(","), last?.state ?? "none", plain(name), plain(url)];
}
