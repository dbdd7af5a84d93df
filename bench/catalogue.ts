import { renderCatalogue } from "@skillhold/core/catalogue";
import { entry } from "@skillhold/core/test/catalogue/entry.fixture";
import { SkillEntry } from "@skillhold/protocol";
import { compare, growthLine, type Point } from "./measure.ts";

/** The catalogue for one agent, against joining the name of every entry, which any catalogue must at least look at. */
export async function benchCatalogue(): Promise<void> {
  const points: Point[] = [];
  for (const count of [40, 1000, 10_000, 100_000]) {
    const entries = makeEntries(count);
    const rank = new Map(entries.map(({ id }, at) => [id, (at * 7919) % 10_007]));
    const shown = new Set(renderCatalogue(entries).inline);
    const inline = entries
      .filter(({ id }) => shown.has(id))
      .map(({ id, description }) => ({ id, description }));
    const [names = 0, json = 0, plain = 0, ranked = 0] = await compare([
      () => entries.map(({ name }) => name).join("\n"),
      () => JSON.stringify(inline),
      () => renderCatalogue(entries),
      () => renderCatalogue(entries, { rank, pinned: ["skill-7", "skill-39"] }),
    ]);
    const least = names + json;
    if (count >= 1000) points.push({ size: count, ms: plain });
    console.log(
      `catalogue: ${count} entries, ms: join all names ${names.toFixed(3)}, JSON of the inline ones ${json.toFixed(3)}, catalogue ${plain.toFixed(3)}, with rank and pins ${ranked.toFixed(3)}; ratio to both ${(plain / least).toFixed(1)} and ${(ranked / least).toFixed(1)}`,
    );
  }
  console.log(`catalogue: ${growthLine({ catalogue: points })}`);
}

function makeEntries(count: number): readonly SkillEntry[] {
  const first = entry("skill-0");
  return Array.from({ length: count }, (_, at) => ({
    ...first,
    id: SkillEntry.shape.id.parse(`skill-${at}`),
    name: `skill-${at}`,
    description: `Handles tasks of kind ${at}. Use when the user asks for one of them, or names a file that belongs to it.`,
  }));
}
