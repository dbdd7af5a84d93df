import { openSession, systemPorts } from "@skillhold/core/session";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { idArgument, readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { count, forReader } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--raw", summary: "print only the instructions, as written" },
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    { usage: "[args...]", summary: "the arguments that a user would type after the skill's name" },
  ],
  options: optionSpecs,
  examples: ["read pdf", "read --raw pdf", "read review-pr 42"],
  run,
});

/** Prints the text that an agent gets when it reads a skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [wanted = "", ...words] = input.args;
  return await withLibrary<ExitCode>(input, async (opened) => {
    const { id } = await getEntry(opened, wanted);
    if (options["raw"] === true) await printBody(io, opened, id);
    else await printActivation(io, opened, id, joinWords(words));
    return 0;
  });
}

async function printActivation(io: Io, opened: Opened, id: string, args: string): Promise<void> {
  // A user of the command line can open files, so the text includes the skill's path.
  const session = await openSession(opened.library, opened.viewer, systemPorts(opened.audit), {
    hasFileSystem: true,
  });
  const skill = await session.activate(id, { args });
  await session.close();
  if (io.json) {
    printData(io, skill);
    return;
  }
  io.out(`${forReader(io, skill.text)}\n`);
  if (io.isOutTty) return;
  // On a terminal the text above already starts with the warnings.
  for (const warning of skill.warnings) io.err(`warning: ${plain(warning)}\n`);
  io.err(`${plain(id)}: about ${count(skill.tokens, "token")}, ${count(skill.files.length, "file")}\n`);
}

async function printBody(io: Io, { library, viewer, audit }: Opened, id: string): Promise<void> {
  const session = await openSession(library, viewer, systemPorts(audit));
  await session.activate(id);
  await session.close();
  const { body, frontmatter, treeHash, skillHash } = await library.read(viewer, id, { hasFolder: false });
  if (io.json) printData(io, { id, body, frontmatter, treeHash, skillHash });
  else io.out(forReader(io, body));
}

/** A single argument is passed as typed; several are quoted so that each stays one word. */
function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
