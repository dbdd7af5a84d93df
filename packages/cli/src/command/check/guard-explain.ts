import { SkillError } from "@skillhold/protocol/error";
import { GUARD_ENGINE, guardRules } from "@skillhold/skill/guard";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { printTable } from "../install/dependency-report.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[rule]", summary: "the id of a rule, as `guard scan` prints it" }],
  options: optionSpecs,
  examples: ["guard explain pipe-to-shell", "guard explain --json"],
  run,
});

/** Explains one rule of the guard, or lists all. */
async function run({ args, io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [id] = args;
  const rules = id === undefined ? [...guardRules.values()] : [getRule(id)];
  if (io.json) printData(io, { engine: GUARD_ENGINE, rules });
  else if (id === undefined) {
    const columns = [
      { title: "RULE" },
      { title: "SEVERITY" },
      { title: "OWASP" },
      { title: "MESSAGE", most: 90 },
    ];
    await printTable(
      io,
      columns,
      rules.map((rule) => [rule.id, rule.severity, rule.owasp, rule.message]),
    );
  } else
    for (const rule of rules)
      io.out(`${rule.id} (${rule.severity}, ${rule.owasp})\n${rule.message}\nfix: ${rule.fix}\n`);
  return 0;
}

function getRule(id: string) {
  const rule = guardRules.get(id);
  if (rule !== undefined) return rule;
  throw new SkillError("USAGE", `The guard has no rule ${JSON.stringify(id.slice(0, 80))}.`, {
    hint: "`skillhold guard explain` lists all rules.",
  });
}
