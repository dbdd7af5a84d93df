import { grantSkill } from "@skillhold/core/registry";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

describe.each(engines)("changes to what was seen, on %s", (engine) => {
  let gateway: TestGateway;
  let owner: ReturnType<typeof asker>;
  beforeEach(async () => {
    gateway = await openOn(engine);
    owner = asker(gateway, await gateway.asRole("publisher", "ada"));
    await put(gateway, "own", { body: "One." });
  });
  afterEach(() => gateway.close());

  const etagOf = async () => (await owner("GET", "/v1/skills/own")).headers.get("etag") ?? "";
  const writes = {
    PUT: ["/v1/skills/own", { description: "Other words." }],
    POST: ["/v1/skills/own/rollback", { revision: 1 }],
    DELETE: ["/v1/skills/own", undefined],
  } as const;

  test("the ETag of a skill is another one after each change of it [S-53]", async () => {
    const seen = new Set([await etagOf()]);
    const next = async (size: number) => expect(seen.add(await etagOf()).size).toBe(size);
    await next(1);
    await put(gateway, "own", { body: "Two." });
    await next(2);
    await owner("PUT", "/v1/skills/own", { body: { description: "Words." } });
    await next(3);
    await owner("POST", "/v1/skills/own/toggle", { body: { enabled: false } });
    await next(4);
    await grantSkill("own", { kind: "user", key: "bob" }, { by: ada }, gateway.registry);
    await next(5);
    await owner("POST", "/v1/skills/own/rollback", { body: { revision: 1 } });
    await next(6);
  });

  test("a change is made to what was seen, and refused when it is another now [S-53]", async () => {
    await put(gateway, "own", { body: "Two." });
    for (const [method, [path, body]] of Object.entries(writes)) {
      const before = await etagOf();
      await owner("PUT", "/v1/skills/own", { body: { name: `meanwhile-${method.toLowerCase()}` } });
      const stale = await owner(method, path, { body, headers: { "if-match": before } });
      expect([method, (await problemOf(stale)).code]).toEqual([method, "PRECONDITION_FAILED"]);
      for (const current of [await etagOf(), '"x", *']) {
        const made = await owner(method, path, { body, headers: { "if-match": current } });
        expect([method, made.status]).toEqual([method, 200]);
        if (method === "DELETE") break;
      }
    }
  });

  test("a condition that a route does not look at is refused, and nothing is changed [S-53]", async () => {
    const headers = { "if-match": '"of another day"' };
    for (const [method, path, body] of [
      ["POST", "/v1/skills/own/toggle", { enabled: false }],
      ["POST", "/v1/skills/own/status", { status: "archived" }],
      ["PUT", "/v1/skills/own/grants/user/bob", {}],
      ["DELETE", "/v1/skills/own/grants/user/bob", undefined],
    ] as const) {
      const before = await etagOf();
      const refused = await problemOf(await owner(method, path, { body, headers }));
      expect(refused).toMatchObject({
        status: 400,
        code: "USAGE",
        detail: expect.stringContaining("If-Match"),
      });
      expect(await etagOf()).toBe(before);
    }
  });

  test("an answer to a change has the ETag for the next one [S-53]", async () => {
    const edit = (name: string, etag: string) =>
      owner("PUT", "/v1/skills/own", { body: { name }, headers: { "if-match": etag } });
    const first = await edit("first", await etagOf());
    const second = await edit("second", first.headers.get("etag") ?? "");
    expect((await answerOf("updateSkill", second)).row.entry.name).toBe("second");
  });

  test("of those who change what they all saw at once, one does [S-53]", async () => {
    for (let round = 0; round < 5; round += 1) {
      const etag = await etagOf();
      const edits = Array.from({ length: 6 }, (_, at) =>
        owner("PUT", "/v1/skills/own", { body: { name: `r${round}-${at}` }, headers: { "if-match": etag } }),
      );
      const statuses = (await Promise.all(edits)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412]);
    }
  });

  test("one who may not see a skill learns nothing by a condition [S-53]", async () => {
    const eve = asker(gateway, await gateway.asRole("publisher", "eve"));
    const refused = await eve("PUT", "/v1/skills/own", { body: { name: "x" }, headers: { "if-match": "*" } });
    expect(await problemOf(refused)).toMatchObject({ code: "SKILL_NOT_FOUND" });
  });
});
