import type { CommandInput } from "./program.ts";

/** The input of a command over tokens, as the administrator that anyone is who can open the store. */
export function asIssuer(input: CommandInput, user: unknown): CommandInput {
  return { ...input, options: { ...input.options, role: "admin", user } };
}
