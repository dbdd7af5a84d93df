import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SearchIndex } from "./search-index.ts";
import { checksum } from "./snapshot.ts";
import { finish } from "./step.ts";

const words = ["deploy", "review", "pdf", "数据", "GitHub", "tests", "café", "😀"];

function sample(count: number): SearchIndex {
  const index = SearchIndex.empty();
  for (let at = 0; at < count; at += 1) {
    const text = words.filter((_, bit) => ((at + 1) & (1 << bit)) !== 0).join(" ");
    index.upsert({
      id: `s${at}`,
      key: `k${at}`,
      name: `skill ${text}`,
      description: text,
      tags: [],
      body: text,
    });
  }
  return index;
}

describe("a snapshot", () => {
  test("gives the same answers when it is loaded [S-61]", () => {
    const index = sample(120);
    const loaded = SearchIndex.load(index.snapshot());
    expect(loaded?.size).toBe(120);
    for (const query of [...words, "deploy pdf reviews", "revew", "gith", ""])
      expect(loaded?.search(query)).toEqual(index.search(query));
  });

  test("keeps names with surrogate pairs, whole and cut [S-61]", () => {
    const names = ["𠀀𠀁𠀂𠀃", `a${"𝒳𝒴".repeat(80)}`, "half \ud800 pair"];
    const index = SearchIndex.empty();
    for (const name of names)
      index.upsert({ id: name, key: name, name, description: "", tags: [], body: "" });
    const loaded = SearchIndex.load(index.snapshot());
    for (const query of [...names, "𠀀𠀁𠀃𠀂", "𠀀𠀁"]) {
      expect(index.search(query)).not.toEqual([]);
      expect(loaded?.search(query)).toEqual(index.search(query));
    }
    expect(names.every((name) => loaded?.has(name, name) && index.has(name, name))).toBe(true);
  });

  test("of an empty index is valid [S-61]", () => {
    const loaded = SearchIndex.load(SearchIndex.empty().snapshot());
    expect([loaded?.size, loaded?.search("pdf"), loaded?.search("")]).toEqual([0, [], []]);
  });

  test("can be taken after every document is gone [S-61]", () => {
    const index = sample(3);
    for (const id of index.ids()) index.remove(id);
    expect(SearchIndex.load(index.snapshot())?.size).toBe(0);
  });

  test("does not contain removed documents [S-61]", () => {
    const index = SearchIndex.empty();
    for (const id of ["public", "secret", "other"])
      index.upsert({ id, key: id, name: id, description: "", tags: [], body: `${id}word` });
    index.search("any");
    index.remove("secret");
    const text = new TextDecoder().decode(index.snapshot());
    expect([text.includes("publicword"), text.includes("secret")]).toEqual([true, false]);
  });

  test("is the same bytes for the same documents in the same order [S-61]", () => {
    expect(sample(40).snapshot()).toEqual(sample(40).snapshot());
  });

  test("loads from any offset in a buffer [S-61]", () => {
    const bytes = sample(20).snapshot();
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect(SearchIndex.load(moved.subarray(3))?.size).toBe(20);
  });

  test("keeps documents that can be changed [S-61]", () => {
    const loaded = SearchIndex.load(sample(10).snapshot());
    expect(loaded?.has("s3", "k3")).toBe(true);
    loaded?.remove("s3");
    loaded?.upsert({ id: "new", key: "1", name: "new", description: "fresh", tags: [], body: "" });
    expect([loaded?.size, loaded?.search("fresh")[0]?.id]).toEqual([10, "new"]);
  });
});

describe("a damaged snapshot", () => {
  const bytes = sample(30).snapshot();

  test("with one byte changed anywhere is rejected [S-61]", () => {
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = bytes.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      expect(SearchIndex.load(damaged), `byte ${at}`).toBeUndefined();
    }
  });

  test("that is truncated or too long is rejected [S-61]", () => {
    for (let length = 0; length < bytes.length; length += 7)
      expect(SearchIndex.load(bytes.subarray(0, length))).toBeUndefined();
    expect(SearchIndex.load(new Uint8Array(bytes.length + 8))).toBeUndefined();
  });

  test("of another version of the analyzer or the format is rejected [S-61]", () => {
    for (const word of [1, 2]) {
      const other = bytes.slice();
      new Uint32Array(other.buffer)[word] = 99;
      expect(SearchIndex.load(other)).toBeUndefined();
    }
  });

  test("of any bytes never throws, and neither does a search if its checksum is right [S-61]", () => {
    const edits = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(edits, (list) => {
        const forged = bytes.slice();
        for (const [at, value] of list) forged[at] = value;
        const index = SearchIndex.load(withChecksum(forged));
        for (const query of ["deploy pdf", "skill", ""]) index?.search(query);
        index?.remove("s1");
        index?.snapshot();
      }),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (any) => SearchIndex.load(any) === undefined));
  });
});

const CHECKSUM_WORD = 3;

/** Finds the checksum a snapshot should have, as its writer would. */
function withChecksum(forged: Uint8Array): Uint8Array {
  const words = new Uint32Array(forged.buffer);
  words[CHECKSUM_WORD] = finish(checksum(words));
  return forged;
}
