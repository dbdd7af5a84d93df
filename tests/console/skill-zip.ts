import { writeArchive } from "@skillhold/core/archive";

/** The files of a skill beside or instead of a SKILL.md that is made up. */
export type SkillFiles = Readonly<Record<string, string>>;

/** A ZIP of skills, each in a folder of its id. */
export async function zipOf(skills: Readonly<Record<string, SkillFiles>>): Promise<Uint8Array<ArrayBuffer>> {
  const files = Object.entries(skills).flatMap(([id, own]) =>
    Object.entries({ "SKILL.md": skillText(id), ...own }).map(([path, text]) => ({
      path: `${id}/${path}`,
      executable: path.endsWith(".sh"),
      content: Buffer.from(text),
    })),
  );
  return new Uint8Array(await writeArchive("zip", files));
}

export function skillText(id: string, description = `About ${id}.`, body = "Do it.", more = ""): string {
  return `---\nname: ${id}\ndescription: ${JSON.stringify(description)}\n${more}---\n${body}\n`;
}
