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

/** Lists the trusted keys, identities and authorities, and the rules for sources. */
async function run({ io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { signers, rootFiles, sigstore, policy, problems } = await readTrust(io.env);
  const keys = signers.map(({ principals, keyId, namespaces, validAfter, validBefore }) => ({
    principals,
    keyId,
    namespaces,
    validAfter,
    validBefore,
  }));
  const { identities } = sigstore;
  const sigstoreRoots = [...new Set(sigstore.roots.map(({ file }) => file))];
  if (io.json) printData(io, { keys, roots: rootFiles, identities, sigstoreRoots, rules: policy, problems });
  else {
    for (const { principals, keyId } of keys) io.out(`${plain(principals.join(","))}  ${keyId}\n`);
    for (const { file, subject } of rootFiles) io.out(`authority ${file}  ${plain(subject)}\n`);
    for (const { identity, issuer } of identities)
      io.out(`${plain(identity)}  confirmed by ${plain(issuer)}\n`);
    for (const file of sigstoreRoots) io.out(`Sigstore root ${file}\n`);
    for (const rule of policy) io.out(`${plain(rule.source)}  requires ${rule.require}\n`);
    const total = [keys, rootFiles, identities, sigstoreRoots, policy].flat().length;
    if (total === 0) io.err("No key is trusted yet.\n");
  }
  for (const problem of problems) io.err(`warning: ${plain(problem)}\n`);
  return 0;
}
