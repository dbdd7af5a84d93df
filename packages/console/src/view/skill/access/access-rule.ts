const rules: ReadonlyMap<string, string> = new Map([
  ["anyone", "Rule: skills in folders are visible to everyone."],
  ["system", "Rule: core skills are visible to everyone."],
  ["public", "Rule: public skills are visible to everyone."],
  ["owner", "Rule: owners see their own skills."],
  ["agent-grant", "Rule: granted to the agent."],
  ["user-grant", "Rule: granted to the user."],
]);

/** A description of the rule that grants access to a skill. */
export function ruleWords(rule: string): string {
  return rules.get(rule) ?? `Rule: ${rule}.`;
}
