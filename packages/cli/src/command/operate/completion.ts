import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand } from "../../command.ts";
import { type Completion, complete, type IdSource } from "../../completion/complete.ts";
import { type Shell, shellScript, shells } from "../../completion/shell-script.ts";
import { withLibrary } from "../../open.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";

export const command = defineCommand({
  arguments: [
    { usage: "<shell>", summary: `one of ${shells.join(", ")}` },
    { usage: "[words...]", summary: "after --, print the completions of the last word instead" },
  ],
  options: [],
  examples: [
    "completion bash > ~/.local/share/bash-completion/completions/skillhold",
    "completion zsh -- pub",
  ],
  run,
});

/** Prints the script for a shell, or the completions of a command line. */
async function run({ args, io, table }: CommandInput): Promise<ExitCode> {
  const [name = "", ...words] = args;
  const shell = shells.find((each) => each === name);
  if (shell === undefined)
    throw new SkillError("USAGE", `${JSON.stringify(name.slice(0, 40))} is not a supported shell.`, {
      hint: `Choose ${shells.join(", ")}.`,
    });
  if (words.length === 0) {
    io.out(shellScript(shell));
    return 0;
  }
  const found = await complete(words, table, idsOf(io));
  if (io.json) printData(io, found);
  else for (const completion of found) io.out(`${formatFor(shell, completion)}\n`);
  return 0;
}

function formatFor(shell: Shell, { word, summary }: Completion): string {
  const line = plain(summary).replaceAll(/\s+/g, " ");
  if (shell === "bash" || line === "") return plain(word);
  return shell === "zsh" ? `${plain(word).replaceAll(":", "\\:")}:${line}` : `${plain(word)}\t${line}`;
}

/** Ids of this machine. Completion never fails: a broken store or folder gives no ids. */
function idsOf(io: Io): IdSource {
  const quiet: Io = { ...io, err: () => {} };
  const orNone = async (list: () => Promise<readonly Completion[]>) => await list().catch(() => []);
  return {
    skills: () =>
      orNone(() =>
        withLibrary({ options: { mcp: false }, io: quiet }, async ({ library, viewer }) =>
          (await library.list(viewer)).map(({ id, description }) => ({ word: id, summary: description })),
        ),
      ),
    agents: () =>
      orNone(() =>
        withRegistry({ options: {}, io: quiet }, "read", async ({ context }) =>
          (await context.store.listAgents({ limit: 500 })).map(({ key, displayName }) => ({
            word: key,
            summary: displayName,
          })),
        ),
      ),
  };
}
