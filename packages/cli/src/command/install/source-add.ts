import { shortPath } from "@skillhold/host/place";
import { labelOf, readSources, showServer, showWord, writeSources } from "@skillhold/host/source";
import type { SourceSettings } from "@skillhold/mcp/host";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { dryRunOption } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { askLine } from "../../terminal/prompt.ts";
import { readSourceArguments } from "./mcp-source-argument.ts";

const optionSpecs = [
  { flags: "--url <url>", summary: "connect to the server at this URL instead of starting a program" },
  {
    flags: "--header <header>",
    summary: 'send this header, as "Name: value"; not for secrets; repeatable',
    repeats: true,
  },
  {
    flags: "--header-env <name=variable>",
    summary: "send this header with the current value of a variable; repeatable",
    repeats: true,
  },
  {
    flags: "--env <variable>",
    summary: "pass this variable to the program; repeatable",
    repeats: true,
  },
  {
    flags: "--skill <address>",
    summary: "also use this unlisted skill: skill://<path>/SKILL.md; repeatable",
    repeats: true,
  },
  { flags: "--yes", summary: "add a program without asking" },
  dryRunOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "<kind>", summary: "the kind of source: mcp" },
    { usage: "<label>", summary: "the label of the new source" },
    { usage: "[command...]", summary: "the server's command line, after --" },
  ],
  options: optionSpecs,
  examples: [
    "source add mcp acme -- npx -y @acme/skills-server",
    "source add mcp wiki --url https://w.example --header-env X-Key=WIKI_KEY",
  ],
  run,
});

/** Adds a server to the sources without starting or contacting it. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const added = readSourceArguments(input);
  const sources = await readSources(io.env);
  if (sources.some(({ label }) => label === added.label))
    throw new SkillError("CONFLICT", `The source ${added.label} already exists.`, {
      hint: `Choose another label, or run \`skillhold source remove ${added.label}\` first.`,
    });
  const isDryRun = options["dryRun"] === true;
  if (!isDryRun && "command" in added && options["yes"] !== true) await confirm(io, added);
  if (!isDryRun) await writeSources([...sources, added], io.env);
  if (io.json) printData(io, { source: labelOf(added.label), settings: added, dryRun: isDryRun });
  else printAdded(io, added, isDryRun);
  return 0;
}

function printAdded(io: Io, added: SourceSettings, isDryRun: boolean): void {
  const source = labelOf(added.label);
  io.err(`${source}: ${isDryRun ? "would be added" : "added"}: ${plain(showServer(added))}\n`);
  io.err("Its skills are third-party: their scripts run only with your approval.\n");
  if (!isDryRun) io.err(`Run \`skillhold source test ${added.label}\` to check all of its skills.\n`);
}

/** Shows the exact command line. Any answer other than yes means no. */
async function confirm(io: Io, added: Extract<SourceSettings, { readonly command: string }>): Promise<void> {
  const tty = await io.tty();
  if (tty === undefined)
    throw new SkillError(
      "APPROVAL_REQUIRED",
      `Running ${showServer(added)} needs a confirmation, and there is no terminal to ask at.`,
      {
        hint: "Run this at a terminal, or add --yes.",
      },
    );
  try {
    const answer = (await askLine(tty, question(io, added), io.signal)) ?? "";
    if (["y", "yes"].includes(answer.trim().toLowerCase())) return;
  } finally {
    tty.close();
  }
  throw new SkillError("APPROVAL_DENIED", "The source was not added.", {
    hint: "Answer y to add it. No file was changed and no program was run.",
  });
}

function question(
  io: Io,
  { command, args, env, cwd }: Extract<SourceSettings, { readonly command: string }>,
): string {
  const lines = [
    `  Program    ${showWord(command)}`,
    `  Arguments  ${args.length === 0 ? "(none)" : args.map(showWord).join(" ")}`,
    `  Folder     ${shortPath(io, cwd) === "." ? cwd : shortPath(io, cwd)}`,
    `  Variables  ${["PATH", "HOME", "LANG", ...env].join(", ")}`,
  ];
  return plain(
    `Skillhold will start this program with all your permissions whenever it lists skills:\n${lines.join("\n")}\nAdd it? [no] `,
  );
}
