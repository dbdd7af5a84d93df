import { resolve } from "node:path";
import { readTrust } from "@skillhold/host/install";
import { defaultLimits } from "@skillhold/protocol/limits";
import { stageFolder } from "@skillhold/registry/release";
import {
  checkSignatures,
  missingVerifier,
  type SignatureCheck,
  signedTree,
} from "@skillhold/registry/signature";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<path>", summary: "the skill's folder" }],
  options: optionSpecs,
  examples: ["verify my-skill", "verify .agents/skills/pdf --json"],
  run,
});

/** Checks the signatures of a skill: 0 for one that is trusted, 7 for any other answer. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [path = ""] = args;
  const folder = resolve(io.cwd, path);
  const staged = await stageFolder(folder, { within: folder }, defaultLimits);
  const trust = await readTrust(io.env);
  const signature = checkSignatures(staged.files, trust, new Date());
  if (signature.status === "untrusted" && signature.missing !== undefined)
    throw missingVerifier(staged.id, signature.missing);
  if (io.json) printData(io, { id: staged.id, signedTree: signedTree(staged.files), signature });
  else io.out(`${staged.id}: ${plain(describe(signature))}\n`);
  for (const problem of trust.problems) io.err(`warning: ${plain(problem)}\n`);
  return signature.status === "verified" ? 0 : 7;
}

function describe(check: SignatureCheck): string {
  switch (check.status) {
    case "none":
      return "no signature";
    case "verified":
      return `signed by ${check.signer} (${check.format}, ${check.keyId})`;
    case "untrusted":
      return `not trusted: ${check.reason} (${check.format}, ${check.keyId})`;
    case "invalid":
      return `does not fit (${check.format}): ${check.reason}`;
  }
}
