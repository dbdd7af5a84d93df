/** The skill whose SKILL.md a path or a command names. */
export function mentionedSkill(text: string, ids: readonly string[]): string | undefined {
  return ids.find((id) =>
    new RegExp(`(?:^|[/\\\\\\s'"])${escapeId(id)}[/\\\\]+SKILL\\.md\\b`, "i").test(text),
  );
}

/** The script of a skill that a command names. */
export function mentionedScript(
  text: string,
  ids: readonly string[],
): { readonly skill: string; readonly script: string } | undefined {
  for (const skill of ids) {
    const found = new RegExp(`(?:^|[/\\\\\\s'"])${escapeId(skill)}[/\\\\](scripts[/\\\\][\\w./\\\\-]+)`).exec(
      text,
    );
    if (found?.[1] !== undefined) return { skill, script: found[1].replaceAll("\\", "/") };
  }
  return undefined;
}

function escapeId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9]/g, (character) => `\\${character}`);
}
