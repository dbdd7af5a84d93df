import { readTrust } from "@skillhold/host/install";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["trust list"],
  run,
});

/** Lists the trusted keys, the authorities and the rules for sources. */
async function run({ io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { signers, rootFiles, policy, problems } = await readTrust(io.env);
  const keys = signers.map(({ principals, keyId, namespaces, validAfter, validBefore }) => ({
    principals,
    keyId,
    namespaces,
    validAfter,
    validBefore,
  }));
  if (io.json) printData(io, { keys, roots: rootFiles, rules: policy, problems });
  else {
    for (const { principals, keyId } of keys) io.out(`${plain(principals.join(","))}  ${keyId}\n`);
    for (const { file, subject } of rootFiles) io.out(`authority ${file}  ${plain(subject)}\n`);
    for (const rule of policy) io.out(`${plain(rule.source)}  requires ${rule.require}\n`);
    if (keys.length + rootFiles.length + policy.length === 0) io.err("No key is trusted yet.\n");
  }
  for (const problem of problems) io.err(`warning: ${plain(problem)}\n`);
  return 0;
}
