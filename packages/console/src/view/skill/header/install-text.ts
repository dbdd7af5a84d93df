export interface InstallCommand {
  readonly title: string;
  readonly line: string;
}

/** The commands that fetch a skill from this gateway. `isOpen`: anyone may fetch it, without a token. */
export function installCommands(id: string, origin: string, isOpen: boolean): readonly InstallCommand[] {
  const archive = `${origin}/v1/skills/${id}/archive`;
  return [
    ...(isOpen ? [{ title: "Into an agent's folder", line: `npx skills add ${origin}` }] : []),
    {
      title: "As an archive",
      line: `curl -fsS -H "Authorization: Bearer $SKILLHOLD_TOKEN" -o ${id}.zip ${archive}`,
    },
    { title: "Then into your own registry", line: `skillhold publish ${id}.zip` },
  ];
}
