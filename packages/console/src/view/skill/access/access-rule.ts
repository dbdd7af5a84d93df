const rules: ReadonlyMap<string, string> = new Map([
  ["anyone", "By the rule for folders: what nobody owns is there for everyone."],
  ["system", "By the rule for what comes with Skillhold: it is there for everyone."],
  ["public", "By the rule for public skills: they are there for everyone."],
  ["owner", "By the rule for owners: what is theirs is there for them."],
  ["agent-grant", "By a grant to the agent."],
  ["user-grant", "By a grant to the user."],
]);

/** The rule that lets someone use a skill, in words. */
export function ruleWords(rule: string): string {
  return rules.get(rule) ?? `By the rule ${rule}.`;
}
