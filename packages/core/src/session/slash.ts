import type { SkillEntry } from "@skillhold/protocol";
import { didYouMean, suggest } from "@skillhold/skill/suggest";
import { neutralText } from "../catalogue/index.ts";
import type { ActivatedSkill } from "./activation-text.ts";

/** The result of a slash command. `text` is for the user, except in `activated`. */
export type SlashResult =
  | { readonly kind: "activated"; readonly id: string; readonly args: string; readonly skill: ActivatedSkill }
  | { readonly kind: "list"; readonly skills: readonly SlashSkill[]; readonly text: string }
  | { readonly kind: "help"; readonly text: string }
  | {
      readonly kind: "ambiguous";
      readonly name: string;
      readonly ids: readonly string[];
      readonly text: string;
    }
  | {
      readonly kind: "unknown";
      readonly name: string;
      readonly suggestions: readonly string[];
      readonly text: string;
    };

export interface SlashSkill {
  readonly id: string;
  readonly description: string;
  readonly argumentHint?: string;
}

/** The session calls of slash commands, all made with the user as invoker. */
export interface SlashPorts {
  list(): Promise<readonly SkillEntry[]>;
  activate(id: string, args: string): Promise<ActivatedSkill>;
  /** Called with a name that matches no skill visible to the user. */
  denied(name: string): Promise<void>;
}

const COMMANDS = {
  use: "/use <skill> [arguments]  use a skill",
  "list-skills": "/list-skills [text]  list the skills you can use",
  help: "/help  show this help",
} as const;

/** Runs `/id args`, `/use id args`, `/list-skills` and `/help`. A path such as `/etc/hosts` is not a command. */
export async function runSlash(line: string, ports: SlashPorts): Promise<SlashResult | undefined> {
  const command = splitFirst(line.trim());
  if (!command.word.startsWith("/") || command.word.length === 1 || command.word.includes("/", 1)) {
    return undefined;
  }
  const name = command.word.slice(1).toLowerCase();
  if (name === "help") return help(await ports.list());
  if (name === "list-skills") return list(await ports.list(), command.rest);
  if (name !== "use") return start(name, command.rest, ports);
  const target = splitFirst(command.rest);
  if (target.word === "") return help(await ports.list());
  return start(target.word.replace(/^\//, "").toLowerCase(), target.rest, ports);
}

async function start(name: string, args: string, ports: SlashPorts): Promise<SlashResult> {
  const ids = (await ports.list()).map(({ id }) => id as string);
  const matches = ids.includes(name) ? [name] : ids.filter((id) => name !== "" && id.startsWith(name));
  const [id, ...others] = matches;
  if (id === undefined) return unknown(name, ids, ports);
  if (others.length > 0) {
    const text = `/${name} could be ${matches.map((match) => `/${match}`).join(", ")}.`;
    return { kind: "ambiguous", name, ids: matches, text };
  }
  return { kind: "activated", id, args, skill: await ports.activate(id, args) };
}

async function unknown(name: string, ids: readonly string[], ports: SlashPorts): Promise<SlashResult> {
  await ports.denied(name);
  const suggestions = suggest(name, [...ids, ...Object.keys(COMMANDS)]);
  const advice = didYouMean(suggestions.map((suggestion) => `/${suggestion}`)) ?? "Try /list-skills.";
  return {
    kind: "unknown",
    name,
    suggestions,
    text: `There is no skill ${neutralText(name, 64)}. ${advice}`,
  };
}

function list(entries: readonly SkillEntry[], filter: string): SlashResult {
  const wanted = filter.toLowerCase();
  const skills = entries
    .filter(({ id, name, tags }) => [id, name, ...tags].some((text) => text.toLowerCase().includes(wanted)))
    .map((entry) => slashSkill(entry));
  const lines = skills.map(({ id, argumentHint, description }) =>
    argumentHint === undefined ? `/${id}  ${description}` : `/${id} ${argumentHint}  ${description}`,
  );
  return { kind: "list", skills, text: lines.length === 0 ? "No skills match." : lines.join("\n") };
}

function help(entries: readonly SkillEntry[]): SlashResult {
  const count = entries.length === 1 ? "1 skill" : `${entries.length} skills`;
  const text = [...Object.values(COMMANDS), `/<skill> [arguments]  same as /use; ${count} available`];
  return { kind: "help", text: text.join("\n") };
}

function slashSkill({ id, description, argumentHint }: SkillEntry): SlashSkill {
  return {
    id,
    description: neutralText(description, 200),
    ...(argumentHint === undefined ? {} : { argumentHint: neutralText(argumentHint, 64) }),
  };
}

function splitFirst(text: string): { readonly word: string; readonly rest: string } {
  const end = text.search(/\s/);
  return end === -1 ? { word: text, rest: "" } : { word: text.slice(0, end), rest: text.slice(end).trim() };
}
