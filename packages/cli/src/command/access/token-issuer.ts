import { showStore, storeUrl } from "@skillhold/host/place";
import type { CommandInput } from "../../command.ts";
import { textOption } from "../../option.ts";
import { plain } from "../../terminal/output.ts";

/** The input of a command over tokens, as the administrator that anyone is who can open the store. */
export function asIssuer(input: CommandInput, user: unknown): CommandInput {
  return { ...input, options: { ...input.options, role: "admin", user } };
}

/** Which gateways know what was made: one with a data folder of its own is easily left out. */
export function validityNote({ options, io }: Pick<CommandInput, "options" | "io">): string {
  return `It is valid at gateways that use the store ${plain(showStore(storeUrl(textOption(options, "store"), io), io))}.\n`;
}
