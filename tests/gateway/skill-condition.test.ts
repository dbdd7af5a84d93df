import { grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

describe.each(engines)("conditional changes on %s", (engine) => {
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

  test("the ETag of a skill changes with each change [S-53]", async () => {
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

  test("accepts a change with the current ETag and rejects a stale one [S-53]", async () => {
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

  test("rejects If-Match on a route that does not support it [S-53]", async () => {
    const headers = { "if-match": '"of another day"' };
    const refused = await problemOf(
      await owner("POST", "/v1/agents", { body: { key: "helper", runtime: "test" }, headers }),
    );
    expect(refused).toMatchObject({
      status: 400,
      code: "USAGE",
      detail: expect.stringContaining("If-Match"),
    });
    expect(await gateway.registry.store.listAgents()).toEqual([]);
  });

  test("toggles and sets the status only with the current ETag [S-53]", async () => {
    const changes = [
      ["toggle", { enabled: false }],
      ["toggle", { enabled: true }],
      ["status", { status: "archived", reason: "Old." }],
      ["status", { status: "active" }],
    ] as const;
    for (const [at, [what, body]] of changes.entries()) {
      const path = `/v1/skills/own/${what}`;
      const before = await etagOf();
      await owner("PUT", "/v1/skills/own", { body: { name: `meanwhile-${at}` } });
      const now = await etagOf();
      for (const stale of [before, '"of another day"', `W/${now}`]) {
        const refused = await owner("POST", path, { body, headers: { "if-match": stale } });
        expect([what, (await problemOf(refused)).code]).toEqual([what, "PRECONDITION_FAILED"]);
      }
      expect(await etagOf()).toBe(now);
      const made = await owner("POST", path, { body, headers: { "if-match": now } });
      expect([what, made.status]).toEqual([what, 200]);
      expect(await etagOf()).not.toBe(now);
    }
  });

  test("restores a deleted skill only with the current ETag [S-53]", async () => {
    const before = await etagOf();
    await owner("DELETE", "/v1/skills/own");
    const restore = (etag: string) =>
      owner("POST", "/v1/skills/own/restore", { headers: { "if-match": etag } });
    expect(await problemOf(await restore(before))).toMatchObject({ code: "PRECONDITION_FAILED" });
    expect((await restore(await etagOf())).status).toBe(200);
  });

  test("of concurrent changes with one ETag, one succeeds [S-53]", async () => {
    for (let round = 0; round < 4; round += 1) {
      const headers = { "if-match": await etagOf() };
      const enabled = round % 2 === 1;
      const statuses = await Promise.all([
        owner("POST", "/v1/skills/own/toggle", { body: { enabled }, headers }),
        owner("POST", "/v1/skills/own/toggle", { body: { enabled }, headers }),
        owner("POST", "/v1/skills/own/status", {
          body: { status: "archived", reason: `r${round}` },
          headers,
        }),
        owner("PUT", "/v1/skills/own", { body: { name: `r${round}` }, headers }),
      ]);
      expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
      await owner("POST", "/v1/skills/own/toggle", { body: { enabled } });
    }
  });

  const bobs = "/v1/skills/own/grants/user/bob";
  const grantTag = async () => (await owner("GET", bobs)).headers.get("etag") ?? "";

  test("a grant has its own ETag and changes only with it [S-53]", async () => {
    expect(await problemOf(await owner("GET", bobs))).toMatchObject({ code: "GRANT_NOT_FOUND" });
    for (const [method, body] of [["PUT", {}] as const, ["DELETE", undefined] as const])
      for (const etag of ["*", '"any"'])
        expect((await owner(method, bobs, { body, headers: { "if-match": etag } })).status).toBe(412);
    const given = await owner("PUT", bobs, { body: {} });
    const first = given.headers.get("etag") ?? "";
    expect([
      await grantTag(),
      (await owner("GET", bobs, { headers: { "if-none-match": first } })).status,
    ]).toEqual([first, 304]);
    const pin = (etag: string) => owner("PUT", bobs, { body: { pin: 1 }, headers: { "if-match": etag } });
    const pinned = await pin(first);
    expect([pinned.status, pinned.headers.get("etag")]).toEqual([200, await grantTag()]);
    expect(await problemOf(await pin(first))).toMatchObject({ code: "PRECONDITION_FAILED" });
    const takeBack = (etag: string) => owner("DELETE", bobs, { headers: { "if-match": etag } });
    expect((await takeBack(first)).status).toBe(412);
    expect(await answerOf("getGrant", await owner("GET", bobs))).toMatchObject({ pin: 1, canManage: false });
    expect((await takeBack(await grantTag())).status).toBe(200);
    expect((await owner("GET", bobs)).status).toBe(404);
  });

  test("of concurrent changes of a grant with one ETag, one succeeds [S-53]", async () => {
    await put(gateway, "own", { body: "Two." });
    await owner("PUT", bobs, { body: {} });
    for (let round = 0; round < 4; round += 1) {
      const headers = { "if-match": await grantTag() };
      const canManage = round % 2 === 0;
      const answers = await Promise.all([
        owner("PUT", bobs, { body: { canManage, pin: 1 }, headers }),
        owner("PUT", bobs, { body: { canManage, pin: 2 }, headers }),
        owner("DELETE", bobs, { headers }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
      await owner("PUT", bobs, { body: {} });
    }
  });

  test("the key and the uid of an agent name the same grant [S-53]", async () => {
    const added = await owner("POST", "/v1/agents", { body: { key: "helper", runtime: "test" } });
    const { uid } = await answerOf("addAgent", added);
    const path = (key: string) => `/v1/skills/own/grants/agent/${key}`;
    const etag = (await owner("PUT", path("helper"), { body: {} })).headers.get("etag") ?? "";
    const pinned = await owner("PUT", path(uid), { body: { pin: 1 }, headers: { "if-match": etag } });
    expect((await answerOf("putGrant", pinned)).grantee.key).toBe("helper");
    expect((await owner("PUT", path(uid), { body: {}, headers: { "if-match": etag } })).status).toBe(412);
  });

  test("the response to a change has the new ETag [S-53]", async () => {
    const edit = (name: string, etag: string) =>
      owner("PUT", "/v1/skills/own", { body: { name }, headers: { "if-match": etag } });
    const first = await edit("first", await etagOf());
    const second = await edit("second", first.headers.get("etag") ?? "");
    expect((await answerOf("updateSkill", second)).row.entry.name).toBe("second");
  });

  test("of simultaneous changes with one ETag, one succeeds [S-53]", async () => {
    for (let round = 0; round < 5; round += 1) {
      const etag = await etagOf();
      const edits = Array.from({ length: 6 }, (_, at) =>
        owner("PUT", "/v1/skills/own", { body: { name: `r${round}-${at}` }, headers: { "if-match": etag } }),
      );
      const statuses = (await Promise.all(edits)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412]);
    }
  });

  test("a condition discloses no hidden skill [S-53]", async () => {
    const eve = asker(gateway, await gateway.asRole("publisher", "eve"));
    const refused = await eve("PUT", "/v1/skills/own", { body: { name: "x" }, headers: { "if-match": "*" } });
    expect(await problemOf(refused)).toMatchObject({ code: "SKILL_NOT_FOUND" });
    await owner("PUT", bobs, { body: {} });
    for (const [method, path, body] of [
      ["POST", "/v1/skills/own/toggle", { enabled: false }],
      ["POST", "/v1/skills/own/status", { status: "archived" }],
      ["PUT", bobs, {}],
      ["DELETE", bobs, undefined],
    ] as const)
      for (const etag of ["*", '"x"', await grantTag(), await etagOf()]) {
        const response = await eve(method, path, { body, headers: { "if-match": etag } });
        expect(await problemOf(response)).toMatchObject({ code: "SKILL_NOT_FOUND" });
      }
  });
});
