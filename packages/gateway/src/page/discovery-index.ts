import type { RunningContext } from "../running-context.ts";
import type { Artefact } from "./artefact.ts";
import { artefactOf, listPublic, type PublicSkill } from "./public-skill.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/** So many are read at a time. */
const AT_ONCE = 8;
/** As long as the format lets a description be. */
const MOST_DESCRIPTION = 1024;

/** What there is, as version 0.2 of the discovery format has it. */
export async function writeIndex(context: RunningContext): Promise<object> {
  const skills = await describeAll(context, ({ entry }, { type, digest }) => ({
    name: entry.id,
    type,
    description: descriptionOf(entry),
    url: type === "skill-md" ? `${entry.id}/SKILL.md` : `${entry.id}.tar.gz`,
    digest,
  }));
  return { $schema: SCHEMA, skills };
}

/** The same as version 0.1 has it. Its clients refuse a whole index for a path with two dots in it. */
export async function writeLegacyIndex(context: RunningContext): Promise<object> {
  const skills = await describeAll(context, ({ entry }, { paths }) =>
    paths.some((path) => path.includes(".."))
      ? undefined
      : { name: entry.id, description: descriptionOf(entry), files: paths },
  );
  return { skills };
}

async function describeAll<T>(
  context: RunningContext,
  describe: (skill: PublicSkill, artefact: Artefact) => T | undefined,
): Promise<readonly T[]> {
  const skills = (await listPublic(context)).filter(({ entry }) => entry.description !== "");
  const described: T[] = [];
  for (let start = 0; start < skills.length; start += AT_ONCE) {
    const part = skills.slice(start, start + AT_ONCE).map(async (skill) => {
      return describe(skill, await artefactOf(skill, context));
    });
    described.push(...(await Promise.all(part)).filter((each) => each !== undefined));
  }
  return described;
}

function descriptionOf({ description }: PublicSkill["entry"]): string {
  return description.slice(0, MOST_DESCRIPTION).toWellFormed();
}
