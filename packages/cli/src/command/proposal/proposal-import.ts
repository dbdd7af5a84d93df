import { resolve } from "node:path";
import { proposalFolder } from "@skillhold/host/place";
import {
  type ImportedProposal,
  importProposalFile,
  importProposalFolder,
} from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    {
      usage: "[files...]",
      summary: "Markdown files with a diff and a justification; by default those in the data folder",
    },
  ],
  options: optionSpecs,
  examples: ["proposal import", "proposal import fix-pdf.md"],
  run,
});

/** Imports proposal files, each once. A program wrote them, so the user may review them. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, args } = input;
  const folder = proposalFolder(io.env);
  return await withRegistry<ExitCode>(input, "write", ({ context, actor: { user } }) =>
    withMissingHook(input, context, async (hooked) => {
      const author = { user, role: "agent" } as const;
      const imported: ImportedProposal[] = [];
      for (const file of args)
        imported.push(await importProposalFile(resolve(io.cwd, file), folder, author, hooked));
      if (args.length === 0) imported.push(...(await importProposalFolder(folder, author, hooked)));
      if (io.json) printData(io, { files: imported.map(toView) });
      else for (const each of imported) print(io, each);
      return imported.some(({ status }) => status === "failed") ? 1 : 0;
    }),
  );
}

function toView({ error, ...imported }: ImportedProposal) {
  return error === undefined
    ? imported
    : { ...imported, error: { code: error.code, message: error.message, hint: error.hint } };
}

function print(io: Io, { file, status, proposal, error }: ImportedProposal): void {
  if (error !== undefined) io.err(`${plain(file)}: ${plain(error.message)} ${plain(error.hint)}\n`);
  else if (proposal === undefined) io.err(`${plain(file)}: ${status}\n`);
  else io.out(`${plain(file)}: proposal ${proposal.id.slice(0, 8)} for ${proposal.skill}\n`);
}
