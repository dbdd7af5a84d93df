import type { CatalogueFormat } from "@skillhold/core/catalogue";
import { openSession, systemPorts } from "@skillhold/core/session";
import { limitTable, withLimits } from "@skillhold/protocol/limits";
import { withLibrary } from "../open.ts";
import { countOption, listOption, present, textOption } from "../option.ts";
import { type ExitCode, type Io, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { count, forReader } from "../text.ts";

/** Prints the block of a prompt that tells an agent which skills exist for it. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const budget = countOption(options, "budget", limitTable.catalogueTokens);
  const limits = withLimits(budget === undefined ? {} : { catalogueTokens: budget });
  return await withLibrary<ExitCode>(input, async (opened) => {
    const session = await openSession(opened.library, opened.viewer, systemPorts(), {
      pins: listOption(options, "pin"),
      hasFileSystem: options["locations"] === true,
      limits,
    });
    const { text, format, tokens, inline, deferred } = await session.catalogue(
      present({
        // The command table allows only the names of formats here.
        format: options["format"] as CatalogueFormat | undefined,
        model: textOption(options, "model"),
        task: textOption(options, "task"),
      }),
    );
    if (io.json) printData(io, { text, format, tokens, inline, deferred });
    else printCatalogue(io, text, { format, tokens, inline: inline.length, deferred });
    return 0;
  });
}

interface Counts {
  readonly format: string;
  readonly tokens: number;
  readonly inline: number;
  readonly deferred: number;
}

function printCatalogue(io: Io, text: string, { format, tokens, inline, deferred }: Counts): void {
  if (text === "") {
    io.err("This viewer sees no skills, so that its prompt says nothing about any.\n");
    io.err("`skillhold explain` shows every candidate and why; `skillhold list` says where it looked.\n");
    return;
  }
  io.out(`${forReader(io, text)}\n`);
  const rest = deferred === 0 ? "" : `, ${deferred} left to the search`;
  io.err(`about ${count(tokens, "token")} as ${format}: ${count(inline, "skill")} inline${rest}\n`);
}
