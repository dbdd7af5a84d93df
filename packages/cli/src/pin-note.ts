import type { RegistryContext } from "@skillhold/registry/record";
import { type Asking, isKnown } from "./known-skill.ts";
import { type Io, plain } from "./terminal/output.ts";

/** Says which pins lead nowhere: an agent that is held to what is not there does not see the skill at all. */
export async function listLostPins(
  pins: Readonly<Record<string, number>>,
  opened: Asking,
  io: Pick<Io, "env" | "cwd">,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [id, revision] of Object.entries(pins)) {
    const isThere = (await isKnown(id, opened, io)) && (await hasRevision(id, revision, opened.context));
    if (!isThere)
      lost.push(`There is no revision ${revision} of ${plain(id)}: until there is, it sees no ${plain(id)}.`);
  }
  return lost;
}

async function hasRevision(id: string, revision: number, { store }: RegistryContext): Promise<boolean> {
  const skill = await store.findSkill(id);
  const found = skill === undefined ? undefined : await store.findRevision(skill.uid, revision);
  return found !== undefined && found.purgedAt === undefined;
}
