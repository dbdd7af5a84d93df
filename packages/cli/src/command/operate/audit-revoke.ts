import { changeKey } from "../../audit-key.ts";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { registryWriteOptions } from "../../shared-option.ts";
import type { ExitCode } from "../../terminal/output.ts";

const optionSpecs = registryWriteOptions;

export const command = defineCommand({
  arguments: [{ usage: "<key>", summary: "the key as ed25519:…, or its .pub file" }],
  options: optionSpecs,
  examples: ["audit revoke gateway-2.pub"],
  run,
});

/** Revokes a key. Earlier entries keep their signatures. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  return await changeKey(input, input.args[0] ?? "", "revoked");
}
