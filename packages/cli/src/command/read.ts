import { openSession, systemPorts } from "@skillhold/core/session";
import { getEntry } from "../get-entry.ts";
import { type Opened, withLibrary } from "../open.ts";
import { type ExitCode, type Io, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { count, forReader } from "../text.ts";

/** Prints what an agent gets when it loads a skill. */
export async function run(input: CommandInput): Promise<ExitCode> {
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
  // Who runs a command line can open files as well, and is told where the skill's folder is.
  const session = await openSession(opened.library, opened.viewer, systemPorts(), { hasFileSystem: true });
  const skill = await session.activate(id, { args });
  await session.close();
  if (io.json) {
    printData(io, skill);
    return;
  }
  io.out(`${forReader(io, skill.text)}\n`);
  if (io.isOutTty) return;
  // On a terminal they were just read, at the head of the text.
  for (const warning of skill.warnings) io.err(`warning: ${plain(warning)}\n`);
  io.err(`${plain(id)}: about ${count(skill.tokens, "token")}, ${count(skill.files.length, "file")}\n`);
}

async function printBody(io: Io, { library, viewer }: Opened, id: string): Promise<void> {
  const { body, frontmatter, treeHash, skillHash } = await library.read(viewer, id);
  if (io.json) printData(io, { id, body, frontmatter, treeHash, skillHash });
  else io.out(forReader(io, body));
}

/** A single argument is the text as typed; of several, each stays the word that the shell made of it. */
function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join();
  return words.map((word) => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}
