import type { CommandInput } from "../../command.ts";
import type { Opened } from "../../open.ts";
import { listOption, textOption } from "../../option.ts";
import { askLine } from "../../terminal/prompt.ts";
import { command as seed } from "../operate/seed.ts";

/**
 * Offers the bundled skills on the first run: where no source and no store exists, and a person is at the terminal. True
 * when they were added. A script, a pipe or CI is never asked.
 */
export async function offerExamples(input: CommandInput, opened: Opened): Promise<boolean> {
  const { io } = input;
  if (!isFirstRun(input, opened) || io.env["CI"] || !io.isErrTty) return false;
  const tty = await io.tty();
  if (tty === undefined) return false;
  try {
    const question =
      "Add the skills that come with Skillhold (pdf, docx, pptx, xlsx, …) to your store? [y/N] ";
    const answer = await askLine(tty, question, io.signal);
    if (!/^y(?:es)?$/i.test(answer?.trim() ?? "")) return false;
  } finally {
    tty.close();
  }
  return (await seed.run({ ...input, args: [], options: {} })) === 0;
}

/** Whether the user has no skills anywhere and did not say where to look. */
function isFirstRun({ args, options }: CommandInput, { sources, store, mcp }: Opened): boolean {
  const names = ["store", "gateway"].filter((name) => textOption(options, name) !== undefined);
  const isOpen = names.length === 0 && options["store"] !== false && args.length === 0;
  const isNamed = ["root", "source"].some((name) => listOption(options, name).length > 0);
  return isOpen && !isNamed && sources.length === 0 && store === undefined && mcp.length === 0;
}
