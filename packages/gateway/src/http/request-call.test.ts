import { type Route, routeTable } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { ParamsCache } from "./request-call.ts";

const list: Route = routeTable.listSkills;
const search: Route = routeTable.searchSkills;
const none = () => ({});

test("parses a repeated URL once [S-53]", () => {
  const params = new ParamsCache();
  const url = "http://host/v1/skills?limit=7";
  const first = params.read(list, url, none);
  expect(first).toMatchObject({ path: {}, query: { limit: 7 } });
  expect(params.read(list, url, none)).toBe(first);
  expect(params.read(list, "http://host/v1/skills?limit=8", none).query).toEqual({ limit: 8 });
});

test("does not use the parameters of one route for another [S-53]", () => {
  const params = new ParamsCache();
  const url = "http://host/v1/skills?limit=7";
  params.read(list, url, none);
  expect(() => params.read(search, url, none)).toThrow(/query/);
});

test("rejects an invalid URL every time [S-53]", () => {
  const params = new ParamsCache();
  for (const url of ["http://host/v1/skills?limit=7&limit=8", "http://host/v1/skills?limit=x"])
    for (let round = 0; round < 2; round += 1) expect(() => params.read(list, url, none)).toThrow(/query/);
});

test("freezes cached parameters, which several requests share [S-53]", () => {
  const { path, query } = new ParamsCache().read(list, "http://host/v1/skills?limit=7", none);
  expect([Object.isFrozen(path), Object.isFrozen(query)]).toEqual([true, true]);
});

test("different parameters have different keys, however they are encoded [S-53]", () => {
  const params = new ParamsCache();
  const keys = ["?q=a", "?q=a%26limit=3", "?q=a&limit=3", '?q=a","limit":"3'].map(
    (query) => params.read(search, `http://host/v1/skills/search${query}`, none).key,
  );
  expect(new Set(keys).size).toBe(keys.length);
});

test("does not cache a long URL [S-53]", () => {
  const params = new ParamsCache();
  const url = `http://host/v1/skills/search?q=${"a".repeat(500)}`;
  expect(params.read(search, url, none)).not.toBe(params.read(search, url, none));
});
