import {
  type Decision,
  decide,
  explainDecision,
  explainPolicy,
  type PolicyRow,
} from "@skillhold/core/policy";
import { neutralText } from "@skillhold/core/text";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";
import { explainSkill, isRequest, readPolicyRequest, type SkillPolicy } from "./skill-policy.ts";

const optionSpecs = [
  {
    flags: "--act <act>",
    summary: "decide a request for this",
    choices: ["run_script", "call_tool", "shell_in_prompt", "install"],
  },
  {
    flags: "--trust <tier>",
    summary: "of a skill that is trusted so far",
    choices: ["builtin", "org", "user", "third_party"],
  },
  { flags: "--network", summary: "which uses the network" },
  {
    flags: "--mounts <kind>",
    summary: "which gets files of this machine",
    choices: ["none", "read", "write"],
  },
  { flags: "--secrets", summary: "which gets the values of secrets" },
  { flags: "--unsandboxed", summary: "which runs without a sandbox, with both switches on" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[id]", summary: "say what running this skill would need" }],
  options: optionSpecs,
  examples: ["policy explain", "policy explain pdf", "policy explain --trust third_party --network"],
  run,
});

/** Prints the rules that decide what may run: all of them, those that meet a request, or what a skill would need. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, args, options } = input;
  const [id] = args;
  if (id !== undefined) await printSkill(io, await explainSkill(input, id));
  else if (isRequest(options)) await printRequest(io, options);
  else await printTable(io);
  return 0;
}

async function printTable(io: Io): Promise<void> {
  const rules = explainPolicy();
  if (io.json) {
    printData(io, { rules });
    return;
  }
  io.out("Of all rules that a request meets, the strictest verdict counts: deny, then ask, then allow.\n");
  io.out("An act that no rule knows is denied.\n\n");
  await printRows(io, rules);
}

async function printRequest(io: Io, options: CommandInput["options"]): Promise<void> {
  const request = readPolicyRequest(options);
  const decision = decide(request);
  const rules = explainDecision(request);
  if (io.json) {
    printData(io, { request, decision, rules });
    return;
  }
  const paint = await paintFor(io.color);
  io.out(`${request.act} of a skill of trust ${request.trust}: ${paint.bold(formatDecision(decision))}\n\n`);
  await printRows(io, rules);
}

async function printRows(io: Io, rows: readonly PolicyRow[]): Promise<void> {
  const paint = await paintFor(io.color);
  const colors = { allow: paint.green, ask: paint.yellow, deny: paint.red } as const;
  for (const { id, title, verdict, reason } of rows) {
    io.out(`${colors[verdict](verdict.padEnd(5))}  ${paint.bold(id)}  ${title}\n`);
    io.out(`       ${paint.dim(reason)}\n`);
  }
}

async function printSkill(io: Io, skill: SkillPolicy): Promise<void> {
  if (io.json) {
    printData(io, skill);
    return;
  }
  const paint = await paintFor(io.color);
  io.out(`${paint.bold(skill.skill)} ${paint.dim(`(trust ${skill.trust})`)}\n`);
  for (const { title, decision } of skill.decisions) io.out(`  ${title}: ${formatDecision(decision)}\n`);
  const needs = [...skill.secrets.map((name) => `the variable ${name}`), ...skill.config.map(quoted)];
  io.out(needs.length === 0 ? "It is handed nothing.\n" : `It is handed ${needs.join(", ")}.\n`);
  if (skill.allowedTools === null) {
    io.out("It declares no allowed-tools, and so limits no tool while it is active.\n");
    return;
  }
  io.out("While it is active, these tools alone may be called:\n");
  for (const item of skill.allowedTools.grants) io.out(`  ${paint.green("grants")}   ${quoted(item)}\n`);
  for (const { item, problem } of skill.allowedTools.problems)
    io.out(`  ${paint.red("nothing")}  ${quoted(item)}: ${problem}\n`);
}

function formatDecision({ verdict, rule, reasons }: Decision): string {
  return `${verdict} (${rule}). ${reasons.join(" ")}`;
}

/** A stranger's text, told from ours and harmless on a terminal. */
function quoted(text: string): string {
  return JSON.stringify(neutralText(text, 200));
}
