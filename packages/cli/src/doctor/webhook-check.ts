import { secretKeys } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryStore } from "@skillhold/registry/record";
import { secretOf } from "@skillhold/registry/webhook";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

type Reader = Pick<RegistryStore, "listWebhooks" | "listDeliveries">;

/** Checks whether this machine can sign the notifications, and whether the latest ones arrived. */
export async function checkWebhooks(store: Reader, io: Pick<Io, "env">): Promise<readonly Check[]> {
  const webhooks = await store.listWebhooks();
  if (webhooks.length === 0) return [];
  const name = "webhooks";
  const key = await secretKeys(io.env).key();
  const details: string[] = [];
  for (const webhook of webhooks) {
    const [last] = await store.listDeliveries({ webhook: webhook.id, limit: 1 });
    if (!isReadable(() => secretOf(webhook, key))) details.push(`${webhook.name}: sealed with another key`);
    if (last?.state === "failed") details.push(`${webhook.name}: ${last.error ?? "not delivered"}`);
  }
  const message = count(webhooks.length, "webhook");
  if (details.length === 0) return [ok(name, `${message}; the latest deliveries did not fail.`)];
  const fix =
    "Correct the receiver, then run `skillhold webhook redeliver`; add a webhook again to seal it here.";
  return [warn(name, `${message}; ${count(details.length, "problem")}.`, fix, details)];
}

function isReadable(open: () => string): boolean {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof SkillError) return false;
    throw error;
  }
}
