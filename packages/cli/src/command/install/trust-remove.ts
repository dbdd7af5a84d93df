import {
  changeIdentities,
  changePolicy,
  changeSigners,
  readTrust,
  removeRoot,
} from "@skillhold/host/install";
import { SkillError } from "@skillhold/protocol/error";
import { parseAllowedSigners } from "@skillhold/registry/signature";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "<name>", summary: "a principal, an identity, a key id, a file of an authority, or a source" },
  ],
  options: optionSpecs,
  examples: ["trust remove alice@example.org"],
  run,
});

/** Removes a key, an identity, an authority or a rule from the trusted ones. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [name = ""] = args;
  const { signers, sigstore, policy } = await readTrust(io.env);
  const isNamed = (signer: (typeof signers)[number]) =>
    signer.principals.includes(name) || signer.keyId === name;
  const isKey = signers.some(isNamed);
  const isRule = policy.some(({ source }) => source === name);
  const isIdentity = sigstore.identities.some(({ identity }) => identity === name);
  const isRoot = removeRoot(io.env, name);
  if (!isKey && !isRule && !isIdentity && !isRoot)
    throw new SkillError("PATH_NOT_FOUND", `${JSON.stringify(name.slice(0, 80))} is not trusted.`, {
      hint: "`skillhold trust list` lists what is.",
    });
  if (isKey)
    await changeSigners(io.env, (lines) =>
      lines.filter((line) => !parseAllowedSigners(line).signers.some(isNamed)),
    );
  if (isIdentity)
    await changeIdentities(io.env, (identities) => identities.filter(({ identity }) => identity !== name));
  if (isRule) await changePolicy(io.env, (rules) => rules.filter(({ source }) => source !== name));
  if (io.json) printData(io, { removed: name });
  else io.out(`${plain(name)}: no longer trusted\n`);
  return 0;
}
