import { afterEach, expect, test, vi } from "vitest";
import { callAll } from "./all-pages.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser whose gateway answers with these pages, one after the other. */
function withPages(pages: (page: number) => object): readonly string[] {
  const asked: string[] = [];
  vi.stubGlobal("localStorage", { getItem: () => "" });
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return Response.json(pages(asked.length));
  });
  return asked;
}

test("joins pages into one list, in order [S-59]", async () => {
  const asked = withPages((page) => ({
    upTo: page,
    skills: [page * 2, page * 2 + 1],
    ...(page < 3 ? { nextCursor: `c${page}` } : {}),
  }));
  const answer = await callAll("GET /v1/metrics", { query: { by: "revision" } });
  expect(answer).toEqual({ upTo: 3, skills: [2, 3, 4, 5, 6, 7] });
  expect(asked).toEqual([
    "/v1/metrics?by=revision&limit=1000",
    "/v1/metrics?by=revision&limit=1000&cursor=c1",
    "/v1/metrics?by=revision&limit=1000&cursor=c2",
  ]);
});

test("stops at an endless list [S-59]", async () => {
  const asked = withPages(() => ({ users: [1], nextCursor: "again" }));
  await expect(callAll("GET /v1/users", {})).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  expect(asked).toHaveLength(100);
});

test("fetches a list without pages once [S-59]", async () => {
  const asked = withPages(() => ({ user: "ann" }));
  expect(await callAll("GET /v1/me", {})).toEqual({ user: "ann" });
  expect(asked).toEqual(["/v1/me"]);
});
