import { type Route, routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { KnownWords } from "./known-words.ts";

const list: Route = routeTable.listSkills;
const search: Route = routeTable.searchSkills;
const none = () => ({});

test("an address that comes again is read once [S-53]", () => {
  const words = new KnownWords();
  const url = "http://host/v1/skills?limit=7";
  const first = words.read(list, url, none);
  expect(first).toMatchObject({ params: {}, query: { limit: 7 } });
  expect(words.read(list, url, none)).toBe(first);
  expect(words.read(list, "http://host/v1/skills?limit=8", none).query).toEqual({ limit: 8 });
});

test("what was read by one row is not taken for what another has [S-53]", () => {
  const words = new KnownWords();
  const url = "http://host/v1/skills?limit=7";
  words.read(list, url, none);
  expect(() => words.read(search, url, none)).toThrow(/query/);
});

test("an address that is refused is refused each time [S-53]", () => {
  const words = new KnownWords();
  for (const url of ["http://host/v1/skills?limit=7&limit=8", "http://host/v1/skills?limit=x"])
    for (let round = 0; round < 2; round += 1) expect(() => words.read(list, url, none)).toThrow(/query/);
});

test("what is kept is for all who send the address, and nobody can change it [S-53]", () => {
  const { params, query } = new KnownWords().read(list, "http://host/v1/skills?limit=7", none);
  expect([Object.isFrozen(params), Object.isFrozen(query)]).toEqual([true, true]);
});

test("other words are another text, however they are written [S-53]", () => {
  const words = new KnownWords();
  const texts = ["?q=a", "?q=a%26limit=3", "?q=a&limit=3", '?q=a","limit":"3'].map(
    (query) => words.read(search, `http://host/v1/skills/search${query}`, none).text,
  );
  expect(new Set(texts).size).toBe(texts.length);
});

test("a long address is read each time, and remembered for nobody [S-53]", () => {
  const words = new KnownWords();
  const url = `http://host/v1/skills/search?q=${"a".repeat(500)}`;
  expect(words.read(search, url, none)).not.toBe(words.read(search, url, none));
});
