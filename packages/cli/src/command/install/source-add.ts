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
  { flags: "--url <url>", summary: "the address of the server, in place of a program" },
  {
    flags: "--header <header>",
    summary: 'send this header, as "Name: value"; may be repeated; not for secrets',
    repeats: true,
  },
  {
    flags: "--header-env <name=variable>",
    summary: "send this header, with the value that the variable has at the time; may be repeated",
    repeats: true,
  },
  {
    flags: "--env <variable>",
    summary: "hand this variable on to the program; may be repeated",
    repeats: true,
  },
  {
    flags: "--skill <address>",
    summary: "also take this skill, which the server need not list: skill://<path>/SKILL.md; may be repeated",
    repeats: true,
  },
  { flags: "--yes", summary: "do not ask before a program is added" },
  dryRunOption,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "<kind>", summary: "what it is: mcp" },
    { usage: "<label>", summary: "what to call it here" },
    { usage: "[command...]", summary: "the program that is the server, after --" },
  ],
  options: optionSpecs,
  examples: [
    "source add mcp acme -- npx -y @acme/skills-server",
    "source add mcp wiki --url https://w.example --header-env X-Key=WIKI_KEY",
  ],
  run,
});

/** Adds a server to the sources. Nothing of it is started or asked here. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const added = readSourceArguments(input);
  const sources = await readSources(io.env);
  if (sources.some(({ label }) => label === added.label))
    throw new SkillError("CONFLICT", `There is a source ${added.label} already.`, {
      hint: `Choose another label, or remove that one: \`skillhold source remove ${added.label}\`.`,
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
  io.err(`${source} ${isDryRun ? "would be" : "is"} added: ${plain(showServer(added))}\n`);
  io.err("Its skills are third-party: what they bring along is run only when you approve it.\n");
  if (!isDryRun) io.err(`\`skillhold source test ${added.label}\` checks everything that it serves.\n`);
}

/** What will be run, to the letter. Whatever is not a clear yes is a no. */
async function confirm(io: Io, added: Extract<SourceSettings, { readonly command: string }>): Promise<void> {
  const tty = await io.tty();
  if (tty === undefined)
    throw new SkillError("APPROVAL_REQUIRED", `Nobody can be asked whether to run ${showServer(added)}.`, {
      hint: "Run this at a terminal, or add --yes.",
    });
  try {
    const answer = (await askLine(tty, question(io, added), io.signal)) ?? "";
    if (["y", "yes"].includes(answer.trim().toLowerCase())) return;
  } finally {
    tty.close();
  }
  throw new SkillError("APPROVAL_DENIED", "The source was not added.", {
    hint: "Nothing was changed or run.",
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
    `This program will be started with all your rights whenever skills are looked at:\n${lines.join("\n")}\nAdd it? [no] `,
  );
}
