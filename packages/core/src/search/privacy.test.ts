import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchDocument } from "./document.ts";
import { SearchIndex } from "./search-index.ts";
import { Sight } from "./sight.ts";

const words = [
  ..."deploy deployment deployer dock docker dockers python pytho pythonic review reviews audit auditor".split(
    " ",
  ),
  ..."swordfish swordfishes merger merge merging 数据 数据库 GitHub github pdf pdfs form forms".split(" "),
];
const text = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((list) => list.join(" "));
const documents = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 400 }),
    name: text,
    description: text,
    body: text,
    isHidden: fc.boolean(),
    settles: fc.boolean(),
  }),
  { maxLength: 24, selector: ({ id }) => id },
);
const query = fc.oneof(
  text,
  fc.constantFrom(...words).map((word) => word.slice(0, 3)),
  fc.constantFrom(...words).map((word) => `${word.slice(0, 2)}${word.slice(3)}`),
  fc.constant(""),
  fc.constant("what is it"),
);

type Drawn = Omit<SearchDocument, "id" | "key" | "tags"> & {
  readonly id: number;
  readonly isHidden: boolean;
  readonly settles: boolean;
};

function indexOf(drawn: readonly Drawn[]): SearchIndex {
  const index = SearchIndex.empty();
  for (const { id, settles, name, description, body } of drawn) {
    index.upsert({
      id: idOf(id),
      key: `key ${name} ${description} ${body}`,
      name,
      description,
      body,
      tags: [],
    });
    // A search between two documents makes segments.
    if (settles) index.search("deploy");
  }
  return index;
}

function idOf(id: number): string {
  return `skill-${id}`;
}

test("hidden skills change no byte of an answer to any query [S-43] [S-61]", () => {
  fc.assert(
    fc.property(documents, fc.array(query, { maxLength: 4 }), (drawn, queries) => {
      const hidden = new Set(drawn.filter(({ isHidden }) => isHidden).map(({ id }) => idOf(id)));
      const all = indexOf(drawn);
      const visible = indexOf(drawn.filter(({ isHidden }) => !isHidden));
      const accepts = (id: string) => !hidden.has(id);
      const sight = new Sight(accepts);
      for (const text of queries) {
        const expected = JSON.stringify(visible.search(text));
        expect(JSON.stringify(all.search(text, { accepts }))).toBe(expected);
        expect(JSON.stringify(all.search(text, { sight }))).toBe(expected);
      }
    }),
    { numRuns: 300 },
  );
});

test("a cached view follows changes of the index and of the gate [S-43] [S-61]", () => {
  const change = fc.record({
    id: fc.integer({ min: 0, max: 9 }),
    body: text,
    kind: fc.constantFrom("put", "put", "remove", "hide", "show"),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const index = SearchIndex.empty();
      const hidden = new Set<string>();
      const present = new Map<string, string>();
      const accepts = (id: string) => !hidden.has(id);
      const sight = new Sight(accepts);
      for (const { id: number, body, kind } of changes) {
        const id = idOf(number);
        if (kind === "put") {
          index.upsert({ id, key: body, name: id, description: "", body, tags: [] });
          present.set(id, body);
        } else if (kind === "remove") {
          index.remove(id);
          present.delete(id);
        } else {
          if (kind === "hide") hidden.add(id);
          else hidden.delete(id);
          index.updateSight(sight, accepts, [id]);
        }
        const visibleOnly = SearchIndex.empty();
        for (const [each, text] of present)
          if (accepts(each))
            visibleOnly.upsert({ id: each, key: text, name: each, description: "", body: text, tags: [] });
        for (const text of ["deploy docker", "pyth", "skill"])
          expect(index.search(text, { sight })).toEqual(visibleOnly.search(text));
      }
    }),
  );
});

test("a long query of a viewer with few skills ranks as in an index of the visible skills [S-61]", () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    id: at,
    name: `skill ${at}`,
    description: `common shared text word${at % 7} term${at % 31}`,
    body: Array.from({ length: 60 }, (_, word) => `w${(at * word) % 97}`).join(" "),
    isHidden: at % 5 !== 0,
    settles: at === 40 || at === 200,
  }));
  const all = indexOf(many);
  const visible = indexOf(many.filter(({ isHidden }) => !isHidden));
  const accepts = (id: string) => Number(id.slice("skill-".length)) % 5 === 0;
  const long = Array.from({ length: 120 }, (_, at) => `w${at} term${at % 40} word${at % 9} common`).join(" ");
  expect(all.search(long, { accepts, limit: 60 })).toEqual(visible.search(long, { limit: 60 }));
});
