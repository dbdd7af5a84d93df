import { showStore, storeUrl } from "@skillhold/host/place";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";
import { plain } from "../../terminal/output.ts";

/** A token command acts as an administrator, because opening the store already gives that power. */
export function asIssuer(input: CommandInput, user: unknown): CommandInput {
  return { ...input, options: { ...input.options, role: "admin", user } };
}

/** Names the store, because a gateway with another data folder does not accept the token. */
export function validityNote({ options, io }: Pick<CommandInput, "options" | "io">): string {
  return `Valid at gateways that use the store ${plain(showStore(storeUrl(textOption(options, "store"), io), io))}.\n`;
}
