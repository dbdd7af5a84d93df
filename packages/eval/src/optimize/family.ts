import type { TriggerQuery } from "../format/trigger-set.ts";

/** Queries share a family when the file says so, or when more than half of their words are the same. */
const SIMILARITY = 0.5;

/** Groups paraphrases, so that no query is held out while another wording of it is trained on. */
export function paraphraseFamilies(queries: readonly TriggerQuery[]): readonly (readonly TriggerQuery[])[] {
  const families: {
    readonly name: string | undefined;
    readonly words: Set<string>;
    readonly members: TriggerQuery[];
  }[] = [];
  for (const query of queries) {
    const words = wordsOf(query.query);
    const found = families.find((family) =>
      query.family === undefined
        ? family.members[0]?.shouldTrigger === query.shouldTrigger &&
          similarity(family.words, words) > SIMILARITY
        : family.name === query.family,
    );
    if (found === undefined) families.push({ name: query.family, words, members: [query] });
    else found.members.push(query);
  }
  return families.map(({ members }) => members);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
}

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = new Set([...a, ...b]).size;
  return all === 0 ? 0 : [...a].filter((word) => b.has(word)).length / all;
}
