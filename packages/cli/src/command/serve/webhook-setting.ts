import { readFileSync, statSync } from "node:fs";
import { ioFailure } from "@skillhold/host/place";
import { WebhookTopic } from "@skillhold/protocol";
import type { ConfiguredWebhook } from "@skillhold/registry/webhook";
import { z } from "zod";
import type { CommandInput } from "../../command.ts";

/** An entry of the key `webhooks` in the configuration file. */
export const WebhookFile = z.strictObject({
  name: z.string().min(1).max(256).describe("the name, which no other entry has"),
  url: z.string().min(1).max(2048).describe("the https address that receives notifications"),
  topics: z
    .array(WebhookTopic)
    .min(1)
    .max(10)
    .optional()
    .describe("notify of proposals, approvals or promotions; by default all"),
  secretFile: z.string().min(1).describe("a file with the signing secret, whsec_ and base64"),
});

const MAX_BYTES = 4096;

/** The webhooks of the configuration file with their secrets; undefined where it has no such key. */
export function readWebhooks(options: CommandInput["options"]): readonly ConfiguredWebhook[] | undefined {
  if (options["webhooks"] === undefined) return undefined;
  return z
    .array(WebhookFile)
    .parse(options["webhooks"])
    .map(({ name, url, topics = WebhookTopic.options, secretFile }) => {
      return { name, url, topics, secret: readSecret(secretFile) };
    });
}

/** A larger file has no secret in it, and is not read. */
function readSecret(path: string): string {
  try {
    return statSync(path).size > MAX_BYTES ? "" : readFileSync(path, "utf8").trim();
  } catch (error) {
    throw ioFailure(`The signing secret cannot be read from ${path}`, error);
  }
}
