import { createHash } from "node:crypto";
import type { KeySource } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { systemActor } from "../ownership/ownership.ts";
import { WEBHOOKS } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { Webhook } from "../record/webhook.ts";
import { isWebhookSecret } from "./signature.ts";
import { checkAddress, type NewWebhook, recordChange, sealSecret, secretOf } from "./webhooks.ts";

/** A webhook of a configuration file, with its signing secret. */
export interface ConfiguredWebhook extends NewWebhook {
  readonly secret: string;
}

/**
 * Adds, changes and removes webhooks until those of the configuration are stored. Webhooks that people added stay, and
 * so does a pause.
 */
export async function configureWebhooks(
  wanted: readonly ConfiguredWebhook[],
  { keys }: { readonly keys: KeySource },
  context: RegistryContext,
): Promise<void> {
  for (const each of wanted) check(each, wanted, context);
  const key = await keys.key();
  await context.store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const stored = await tx.listWebhooks();
    const ids = new Set(wanted.map(({ name }) => configuredId(name)));
    for (const webhook of stored) {
      if (webhook.id !== configuredId(webhook.name) || ids.has(webhook.id)) continue;
      await tx.removeWebhook(webhook.id);
      await recordChange(webhook, "removed", systemActor, tx, context);
    }
    for (const { name, url, topics, secret } of wanted) {
      const id = configuredId(name);
      const before = stored.find((webhook) => webhook.id === id);
      const settings = { name, url: checkAddress(url), topics: [...new Set(topics)] };
      if (before !== undefined && isSame(before, settings) && hasSecret(before, secret, key)) continue;
      const webhook: Webhook = {
        ...(before ?? {
          ...{ isEnabled: true, cursor: await tx.lastEvent() },
          ...{ createdBy: systemActor.user, createdAt: context.clock.now().toISOString() },
        }),
        ...{ ...settings, id, sealed: sealSecret(id, secret, key) },
      };
      await tx.putWebhook(webhook);
      await recordChange(webhook, before === undefined ? "added" : "changed", systemActor, tx, context);
    }
  });
}

/** A UUID of version 8, which no generated id is, so that it marks the webhooks of a configuration. */
function configuredId(name: string): string {
  const hash = createHash("sha256").update(`skillhold webhook\n${name}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

function isSame(webhook: Webhook, { url, topics }: NewWebhook): boolean {
  return webhook.url === url && JSON.stringify(webhook.topics) === JSON.stringify(topics);
}

/** A secret that another machine sealed cannot be compared, so it is sealed again. */
function hasSecret(webhook: Webhook, secret: string, key: Uint8Array): boolean {
  try {
    return secretOf(webhook, key) === secret;
  } catch {
    return false;
  }
}

function check(
  { name, secret }: ConfiguredWebhook,
  all: readonly ConfiguredWebhook[],
  { limits }: RegistryContext,
): void {
  const quoted = JSON.stringify(name.slice(0, 80));
  if (all.length > limits.webhooks)
    throw invalid(`The configuration has ${all.length} webhooks (limit webhooks).`, "Remove some of them.");
  if (all.filter((each) => each.name === name).length > 1)
    throw invalid(`The configuration has two webhooks ${quoted}.`, "Give each a name of its own.");
  if (!isWebhookSecret(secret))
    throw invalid(
      `The signing secret of the webhook ${quoted} is invalid.`,
      "Write whsec_ and 24 to 64 random bytes in base64 into its file.",
    );
}

function invalid(message: string, hint: string): SkillError {
  return new SkillError("CONFIG_INVALID", message, { hint });
}
