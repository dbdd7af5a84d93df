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
    summary: "decide a request for this act",
    choices: ["run_script", "call_tool", "shell_in_prompt", "install"],
  },
  {
    flags: "--trust <tier>",
    summary: "assume a skill of this trust tier",
    choices: ["builtin", "org", "user", "third_party"],
  },
  { flags: "--network", summary: "assume network access" },
  {
    flags: "--mounts <kind>",
    summary: "assume mounted files of this machine",
    choices: ["none", "read", "write"],
  },
  { flags: "--secrets", summary: "assume access to secrets" },
  { flags: "--unsandboxed", summary: "assume a run without a sandbox, with both switches on" },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[id]", summary: "explain the policy for this skill" }],
  options: optionSpecs,
  examples: ["policy explain", "policy explain pdf", "policy explain --trust third_party --network"],
  run,
});

/** Prints all policy rules, the rules for one request, or the decisions for one skill. */
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
  io.out("The strictest verdict of all matching rules applies: deny, then ask, then allow.\n");
  io.out("An act without a matching rule is denied.\n\n");
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
  io.out(
    `${request.act} for a skill with trust ${request.trust}: ${paint.bold(formatDecision(decision))}\n\n`,
  );
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
  io.out(needs.length === 0 ? "Receives no secrets or files.\n" : `Receives ${needs.join(", ")}.\n`);
  if (skill.allowedTools === null) {
    io.out("Declares no allowed-tools, so it limits no tool while it is active.\n");
    return;
  }
  io.out("While it is active, only these tools may be called:\n");
  for (const item of skill.allowedTools.grants) io.out(`  ${paint.green("grants")}   ${quoted(item)}\n`);
  for (const { item, problem } of skill.allowedTools.problems)
    io.out(`  ${paint.red("nothing")}  ${quoted(item)}: ${problem}\n`);
}

function formatDecision({ verdict, rule, reasons }: Decision): string {
  return `${verdict} (${rule}). ${reasons.join(" ")}`;
}

/** Quotes untrusted text and makes it safe for a terminal. */
function quoted(text: string): string {
  return JSON.stringify(neutralText(text, 200));
}
