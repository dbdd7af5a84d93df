import { expect, test } from "vitest";
import type { Principal } from "../auth/principal.ts";
import { type CacheBounds, type CacheRequest, ResponseCache } from "./response-cache.ts";

const ada: Principal = {
  role: "viewer",
  user: "ada",
  agent: undefined,
  token: "t1",
  kind: "api",
  issuedAt: "2000-01-01T00:00:00.000Z",
  expiresAt: "2099-01-01T00:00:00.000Z",
};

/** A cache with a manual clock and version that counts renderings. */
function open(bounds: Partial<CacheBounds> = {}) {
  const now = { ms: 0, version: 1, made: 0 };
  const version = { current: async () => now.version };
  const cache = new ResponseCache(version, { now: () => new Date(now.ms) }, bounds);
  const get = async (question: Partial<CacheRequest> = {}, text = "x") => {
    const asked: CacheRequest = { operation: "listSkills", principal: ada, ...question };
    const answer = await cache.get(asked, async () => {
      now.made += 1;
      return { data: { text }, extra: undefined };
    });
    return JSON.parse(Buffer.from(answer.json).toString()).text;
  };
  return { now, cache, get };
}

test("renders a response once per version and caches it for five minutes [S-55]", async () => {
  const { now, get } = open();
  await get();
  now.ms = 5 * 60_000 - 1;
  await get();
  expect(now.made).toBe(1);
  now.ms += 1;
  await get();
  expect(now.made).toBe(2);
  now.version = 2;
  expect(await get({}, "other")).toBe("other");
  expect(now.made).toBe(3);
  now.ms = -1;
  await get();
  expect(now.made).toBe(4);
});

test("does not share responses between users, roles, agents or requests [S-55]", async () => {
  const { now, get } = open();
  const questions: Partial<CacheRequest>[] = [
    {},
    { principal: undefined },
    { principal: { ...ada, user: "bob" } },
    { principal: { ...ada, role: "agent" } },
    { principal: { ...ada, agent: "ada" } },
    { principal: { ...ada, user: 'ada",null' } },
    { query: { view: "all" } },
    { params: { view: "all" } },
    { operation: "getCatalogue" },
  ];
  for (const [at, question] of questions.entries()) expect(await get(question, String(at))).toBe(String(at));
  expect(now.made).toBe(questions.length);
  for (const [at, question] of questions.entries()) expect(await get(question, "?")).toBe(String(at));
  // Another token of the same person shares the entries.
  const otherToken: Principal = { ...ada, token: "t2" };
  expect(await get({ principal: otherToken }, "?")).toBe("0");
});

test("concurrent requests share one rendering [S-55]", async () => {
  const { now, get } = open();
  expect(await Promise.all([get({}, "a"), get({}, "b"), get({}, "c")])).toEqual(["a", "a", "a"]);
  expect(now.made).toBe(1);
});

test.each([
  [
    "an answer that is not kept",
    async (text: string) => ({ data: text, extra: undefined, isCacheable: false }),
  ],
  ["a refusal", (text: string) => Promise.reject(new Error(text))],
])("does not share a response with requests that start after it began: %s [S-55]", async (_, end) => {
  const { cache } = open();
  const question: CacheRequest = { operation: "readFile", principal: ada };
  const [begun, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = cache.get(question, async () => {
    begun.resolve();
    await slow.promise;
    return await end("old");
  });
  await begun.promise;
  const later = ["new", "newer"].map((text) => cache.get(question, () => end(text)));
  slow.resolve();
  const told = (await Promise.allSettled([first, ...later])).map((each) =>
    each.status === "fulfilled" ? JSON.parse(String(each.value.json)) : each.reason.message,
  );
  expect(told).toEqual(["old", "new", "newer"]);
});

test("a response is cached only for the version it was rendered for [S-55]", async () => {
  const { cache, now, get } = open();
  const question: CacheRequest = { operation: "listSkills", principal: ada };
  const [begun, slow, made] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const first = cache.get(question, async () => {
    begun?.resolve();
    await slow?.promise;
    throw new Error("no");
  });
  const refused = expect(first).rejects.toThrow("no");
  await begun?.promise;
  const second = cache.get(question, async () => {
    made?.resolve();
    return { data: { text: "old" }, extra: undefined };
  });
  await Promise.resolve();
  now.version = 2;
  expect(await get({}, "new")).toBe("new");
  slow?.resolve();
  await refused;
  await made?.promise;
  expect((await second).json).toContain("old");
  expect(await get({}, "?")).toBe("new");
});

test("a rendering from before a change is not shared with later requests [S-55]", async () => {
  const { cache, now, get } = open();
  const slow = Promise.withResolvers<string>();
  const question: CacheRequest = { operation: "listSkills", principal: ada };
  const before = cache.get(question, async () => ({ data: { text: await slow.promise }, extra: undefined }));
  await Promise.resolve();
  now.version = 2;
  expect(await get({}, "new")).toBe("new");
  slow.resolve("old");
  await before;
  expect(await get({}, "?")).toBe("new");
});

test("limits entries and bytes and evicts the oldest first [S-55]", async () => {
  const { get } = open({ answers: 3, bytes: 4000 });
  const page = (cursor: string) => ({ query: { cursor } });
  for (const name of ["a", "b", "c"]) await get(page(name), name);
  await get(page("a"), "?");
  await get(page("d"), "d");
  expect(await get(page("a"), "again")).toBe("a");
  expect(await get(page("b"), "again")).toBe("again");
  await get(page("large"), "x".repeat(501));
  expect(await get(page("large"), "again")).toBe("again");
});

test("evicts the oldest responses when the bytes exceed the limit [S-55]", async () => {
  const { get } = open({ answers: 100, bytes: 4000 });
  const page = (at: number) => ({ query: { cursor: String(at) } });
  for (let at = 0; at < 20; at += 1) await get(page(at), "x".repeat(400));
  expect(await get(page(19), "again")).toBe("x".repeat(400));
  expect(await get(page(9), "again")).toBe("again");
});

test("does not cache a response that the version does not cover [S-55]", async () => {
  const { cache, now } = open();
  const question: CacheRequest = { operation: "getSkill", principal: ada };
  const make = async () => {
    now.made += 1;
    return { data: {}, extra: undefined, isCacheable: false };
  };
  await cache.get(question, make);
  await cache.get(question, make);
  expect(now.made).toBe(2);
});
