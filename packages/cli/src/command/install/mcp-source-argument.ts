import { didYouMean, suggest } from "@skillhold/core/session";
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
import type { CommandInput } from "../../command.ts";
import { listOption, textOption } from "../../option.ts";

type Options = CommandInput["options"];

/** What was said of a source on the command line, or a failure that says what is missing or wrong. */
export function readSourceArguments({ args, options, io }: CommandInput): SourceSettings {
  const [kind = "", label = "", ...command] = args;
  if (kind !== "mcp")
    throw new SkillError("USAGE", `There is no kind of source ${JSON.stringify(kind)}.`, {
      hint: "There is: mcp.",
    });
  sourceLabel(label);
  const url = textOption(options, "url");
  if ((url === undefined) === (command.length === 0))
    throw new SkillError("USAGE", "A server is either a program or an address.", {
      hint: "Give the program and its arguments after --, or its address with --url.",
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
        hint: "--skill takes an address such as skill://pdf/SKILL.md.",
      });
  }
  return uris.length === 0 ? {} : { skills: [...new Set(uris)] };
}

/** A source by its label, which may be written as sources have it. */
export function getSource(sources: readonly SourceSettings[], wanted: string): SourceSettings {
  const label = wanted.startsWith(REMOTE_PREFIX) ? wanted.slice(REMOTE_PREFIX.length) : wanted;
  const found = sources.find((each) => each.label === label);
  if (found !== undefined) return found;
  const labels = sources.map((each) => each.label);
  const otherwise =
    labels.length === 0
      ? "None was added: `skillhold source add` adds one."
      : `There are: ${labels.join(", ")}.`;
  throw new SkillError("PATH_NOT_FOUND", `There is no source ${label}.`, {
    hint: didYouMean(suggest(label, labels)) ?? otherwise,
  });
}

function readProgram(label: string, words: readonly string[], options: Options, cwd: string): SourceSettings {
  const [command = "", ...args] = words;
  if (listOption(options, "header").length + listOption(options, "headerEnv").length > 0)
    throw new SkillError("USAGE", "A program gets no headers.", {
      hint: "Hand variables on to it with --env.",
    });
  const env = listOption(options, "env");
  const wrong = env.find((name) => !isVariable(name));
  if (wrong !== undefined)
    throw new SkillError("USAGE", `${JSON.stringify(wrong)} is not the name of a variable.`, {
      hint: "--env takes a name; its value is the one that it has when the program is started.",
    });
  if (words.some((word) => word.includes("\0")))
    throw new SkillError("USAGE", "A command has no bytes of zero.");
  return { kind: "mcp", label, command, args, env: [...new Set(env)], cwd };
}

function readAddress(url: string, options: Options) {
  if (listOption(options, "env").length > 0)
    throw new SkillError("USAGE", "A server with an address gets no variables.", {
      hint: "Send it headers.",
    });
  const problem = findUrlProblem(url);
  if (problem !== undefined)
    throw new SkillError("USAGE", `The address ${url} ${problem}.`, {
      hint: "Use https; http is for this machine alone. Credentials go into --header-env.",
    });
  const headers = Object.fromEntries(listOption(options, "header").map(readHeader));
  const headerEnv = Object.fromEntries(listOption(options, "headerEnv").map(readHeaderVariable));
  return { url, headers, headerEnv };
}

function readHeader(text: string): readonly [string, string] {
  const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/s.exec(text) ?? [];
  rejectHeader(name, value);
  if (isSecretHeader(name, value))
    throw new SkillError("USAGE", `The header ${name} looks like a secret, and is not written to a file.`, {
      hint: `Put its value into a variable, and name that: --header-env ${name}=VARIABLE.`,
    });
  return [name, value];
}

function readHeaderVariable(text: string): readonly [string, string] {
  const [, name = "", variable = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  rejectHeader(name, "");
  if (isVariable(variable)) return [name, variable];
  throw new SkillError("USAGE", `${JSON.stringify(text)} names no variable.`, {
    hint: "--header-env takes the name of a header and that of a variable: Authorization=WIKI_AUTH.",
  });
}

function rejectHeader(name: string, value: string): void {
  const problem = findHeaderProblem(name, value);
  if (problem === undefined) return;
  throw new SkillError("USAGE", `The header ${JSON.stringify(name)} ${problem}.`, {
    hint: 'Write it as "Name: value".',
  });
}

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
