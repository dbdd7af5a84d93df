import { REMOTE_PREFIX } from "@skillhold/core/source";
import {
  findHeaderProblem,
  findSkillUriProblem,
  findUrlProblem,
  isSecretHeader,
  type SourceSettings,
  sourceLabel,
} from "@skillhold/mcp/host";
import { SkillError } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import type { CommandInput } from "../../command.ts";
import { listOption, textOption } from "../../option.ts";

type Options = CommandInput["options"];

/** The source settings of the command line; throws a USAGE error for missing or invalid ones. */
export function readSourceArguments({ args, options, io }: CommandInput): SourceSettings {
  const [kind = "", label = "", ...command] = args;
  if (kind !== "mcp")
    throw new SkillError("USAGE", `${JSON.stringify(kind)} is not a kind of source.`, {
      hint: "The only kind is mcp.",
    });
  sourceLabel(label);
  const url = textOption(options, "url");
  if ((url === undefined) === (command.length === 0))
    throw new SkillError("USAGE", "Either a program or --url is required.", {
      hint: "Add the program and its arguments after --, or the server's URL with --url.",
    });
  const skills = readSkills(listOption(options, "skill"));
  return url === undefined
    ? { ...readProgram(label, command, options, io.cwd), ...skills }
    : { kind, label, ...readAddress(url, options), ...skills };
}

function readSkills(uris: readonly string[]): Pick<SourceSettings, "skills"> {
  for (const uri of uris) {
    const problem = findSkillUriProblem(uri);
    if (problem !== undefined)
      throw new SkillError("USAGE", problem, {
        hint: "--skill takes a URI such as skill://pdf/SKILL.md.",
      });
  }
  return uris.length === 0 ? {} : { skills: [...new Set(uris)] };
}

/** Finds a source by its label, with or without the `mcp:` prefix. */
export function getSource(sources: readonly SourceSettings[], wanted: string): SourceSettings {
  const label = wanted.startsWith(REMOTE_PREFIX) ? wanted.slice(REMOTE_PREFIX.length) : wanted;
  const found = sources.find((each) => each.label === label);
  if (found !== undefined) return found;
  const labels = sources.map((each) => each.label);
  const otherwise =
    labels.length === 0
      ? "There are no sources. Run `skillhold source add` to add one."
      : `The sources are ${labels.join(", ")}.`;
  throw new SkillError("PATH_NOT_FOUND", `The source ${label} does not exist.`, {
    hint: didYouMean(suggest(label, labels)) ?? otherwise,
  });
}

function readProgram(label: string, words: readonly string[], options: Options, cwd: string): SourceSettings {
  const [command = "", ...args] = words;
  if (listOption(options, "header").length + listOption(options, "headerEnv").length > 0)
    throw new SkillError("USAGE", "--header and --header-env need --url.", {
      hint: "Pass variables to a program with --env.",
    });
  const env = listOption(options, "env");
  const wrong = env.find((name) => !isVariable(name));
  if (wrong !== undefined)
    throw new SkillError("USAGE", `${JSON.stringify(wrong)} is not a variable name.`, {
      hint: "--env takes a name only; the value is read when the program starts.",
    });
  if (words.some((word) => word.includes("\0")))
    throw new SkillError("USAGE", "The command contains a NUL byte. Remove it.");
  return { kind: "mcp", label, command, args, env: [...new Set(env)], cwd };
}

function readAddress(url: string, options: Options) {
  if (listOption(options, "env").length > 0)
    throw new SkillError("USAGE", "--env needs a program, not --url.", {
      hint: "Send headers with --header or --header-env instead.",
    });
  const problem = findUrlProblem(url);
  if (problem !== undefined)
    throw new SkillError("USAGE", `The URL ${url} ${problem}.`, {
      hint: "Use https; http works only for this machine. Pass credentials with --header-env.",
    });
  const headers = Object.fromEntries(listOption(options, "header").map(readHeader));
  const headerEnv = Object.fromEntries(listOption(options, "headerEnv").map(readHeaderVariable));
  return { url, headers, headerEnv };
}

function readHeader(text: string): readonly [string, string] {
  const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/s.exec(text) ?? [];
  rejectHeader(name, value);
  if (isSecretHeader(name, value))
    throw new SkillError("USAGE", `The header ${name} looks like a secret, so it is not written to a file.`, {
      hint: `Put the value in an environment variable and pass --header-env ${name}=VARIABLE.`,
    });
  return [name, value];
}

function readHeaderVariable(text: string): readonly [string, string] {
  const [, name = "", variable = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  rejectHeader(name, "");
  if (isVariable(variable)) return [name, variable];
  throw new SkillError("USAGE", `--header-env ${JSON.stringify(text)} names no variable.`, {
    hint: "Write a header name and a variable name, such as Authorization=WIKI_AUTH.",
  });
}

function rejectHeader(name: string, value: string): void {
  const problem = findHeaderProblem(name, value);
  if (problem === undefined) return;
  throw new SkillError("USAGE", `The header ${JSON.stringify(name)} ${problem}.`, {
    hint: 'Write a header as "Name: value".',
  });
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
