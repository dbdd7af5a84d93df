import { secretKeys } from "@skillhold/host/store";
import { WebhookTopic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { addWebhook } from "@skillhold/registry/webhook";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { listOption, textOption } from "../../option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asIssuer } from "../access/token-issuer.ts";
import { toView, webhookOptions } from "./webhook-choice.ts";

const optionSpecs = [
  { flags: "--name <text>", summary: "name the webhook; by default the host of its URL" },
  {
    flags: "--topic <name>",
    summary: "notify of proposals, approvals or promotions; repeatable; by default all",
    repeats: true,
  },
  ...webhookOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<url>", summary: "the https address that receives notifications" }],
  options: optionSpecs,
  examples: ["webhook add https://chat.example.org/hooks/skills --topic proposals"],
  run,
});

/** Adds a webhook. The secret is printed once, to standard output only. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [url = ""] = input.args;
  const name = textOption(options, "name") ?? URL.parse(url)?.host ?? "";
  const topics = readTopics(listOption(options, "topic"));
  return await withRegistry<ExitCode>(asIssuer(input, options["by"]), "write", async (opened) => {
    const ports = { by: opened.actor, keys: secretKeys(io.env) };
    const { webhook, secret } = await addWebhook({ name, url, topics }, ports, opened.context);
    if (io.json) {
      printData(io, { webhook: toView(webhook), secret });
      return 0;
    }
    io.out(`${secret}\n`);
    io.err(`${webhook.id}: ${plain(name)} is notified of ${topics.join(", ")}.\n`);
    io.err("Store the signing secret now: it is not shown again. A running gateway sends notifications.\n");
    return 0;
  });
}

function readTopics(names: readonly string[]): readonly WebhookTopic[] {
  if (names.length === 0) return WebhookTopic.options;
  return names.map((name) => {
    const { data } = WebhookTopic.safeParse(name);
    if (data !== undefined) return data;
    throw new SkillError("USAGE", `${JSON.stringify(name.slice(0, 80))} is not a topic.`, {
      hint: `Use one of ${WebhookTopic.options.join(", ")}.`,
    });
  });
}
