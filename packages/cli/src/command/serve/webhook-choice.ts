import { SkillError } from "@skillhold/protocol/error";
import type { Delivery, RegistryContext, Webhook } from "@skillhold/registry/record";
import type { CommandInput, OptionSpec } from "../../command.ts";
import { byOption, storeOption } from "../../shared-option.ts";
import { type OpenedRegistry, type StoreUse, withRegistry } from "../../store.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { asIssuer } from "../access/token-issuer.ts";

export const webhookArgument = {
  usage: "<webhook>",
  summary: "the webhook's id or name, or the first characters of its id",
} as const;

export const webhookOptions = [byOption, storeOption] as const satisfies readonly OptionSpec[];

/** A command on one webhook. It acts as an administrator, because opening the store already gives that power. */
export async function withWebhook(
  input: CommandInput,
  use: StoreUse,
  run: (webhook: Webhook, opened: OpenedRegistry) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [start = ""] = input.args;
  return await withRegistry<ExitCode>(asIssuer(input, input.options["by"]), use, async (opened) =>
    run(await findWebhook(start, opened.context), opened),
  );
}

/** A webhook without its sealed secret. */
export function toView({ sealed: _, cursor: __, ...webhook }: Webhook) {
  return webhook;
}

/** The delivery with an id or the start of an id. */
export async function findDelivery(
  start: string,
  { id: webhook }: Webhook,
  { store, limits }: RegistryContext,
): Promise<Delivery> {
  const all = await store.listDeliveries({ webhook, limit: 2 * limits.webhookDeliveries });
  return only(start, all, "delivery");
}

async function findWebhook(start: string, { store }: RegistryContext): Promise<Webhook> {
  const all = await store.listWebhooks();
  const named = all.filter(({ name }) => name === start);
  return named.length === 1 ? only("", named, "webhook") : only(start, all, "webhook");
}

function only<T extends { readonly id: string }>(start: string, all: readonly T[], what: string): T {
  const [first, second] = all.filter(({ id }) => id.startsWith(start));
  if (first !== undefined && second === undefined) return first;
  if (first === undefined)
    throw new SkillError("WEBHOOK_NOT_FOUND", `There is no ${what} ${start.slice(0, 80)}.`);
  throw new SkillError(
    "USAGE",
    `The ids of several entries start with ${JSON.stringify(start.slice(0, 80))}.`,
    {
      hint: "Write more characters of the id.",
    },
  );
}
