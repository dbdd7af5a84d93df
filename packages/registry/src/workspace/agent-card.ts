import { z } from "zod";

/** A skill on an agent card, as far as other workspaces show it. */
export interface CardSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

const MAX_SKILLS = 1000;
const Text = z.string().catch("");
const Skill = z.object({ id: Text, name: Text, description: Text });
const Card = z.looseObject({
  name: Text,
  description: Text,
  skills: z.array(z.unknown()).catch([]),
});

/** The skills of a card that another program wrote. Entries without a name or id are left out. */
export function cardSkills(card: string | undefined): readonly CardSkill[] {
  return readCard(card).skills;
}

/** The name, description and skills of a stored card. Invalid fields are empty. */
export function readCard(card: string | undefined): {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly CardSkill[];
} {
  const parsed = Card.safeParse(card === undefined ? {} : JSON.parse(card));
  const { name, description, skills } = parsed.data ?? { name: "", description: "", skills: [] };
  const read = skills.slice(0, MAX_SKILLS).flatMap((each): readonly CardSkill[] => {
    const { data } = Skill.safeParse(each);
    if (data === undefined) return [];
    const id = visibleText(data.id || data.name, 128);
    if (id === "") return [];
    return [
      { id, name: visibleText(data.name, 128) || id, description: visibleText(data.description, 1024) },
    ];
  });
  return { name: visibleText(name, 128), description: visibleText(description, 1024), skills: read };
}

/** One line of visible text of limited length: cards are written by others. */
export function visibleText(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return [...line].slice(0, max).join("");
}
