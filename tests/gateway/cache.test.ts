import {
  addAgent,
  changeAgent,
  grantSkill,
  revokeSkill,
  toggleSkill,
  viewerFor,
} from "@skillhold/registry/access";
import { deleteSkill, editSkill, restoreSkill } from "@skillhold/registry/release";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { answerOf, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

const root = { user: "root", role: "admin" } as const;

/** Each change affects a view and comes from outside the gateway. */
const changes: Readonly<Record<string, (gateway: TestGateway) => Promise<unknown>>> = {
  "a new skill": (gateway) => put(gateway, "new", { visibility: "public" }),
  "new content": (gateway) => put(gateway, "open", { body: "Other." }),
  "a switch": ({ registry }) => toggleSkill("open", false, { by: ada }, registry),
  "other words": ({ registry }) => editSkill("open", { name: "other" }, { by: ada }, registry),
  "what is missing": (gateway) =>
    put(
      { ...gateway, registry: { ...gateway.registry, hooks: { missing: async () => ["pip:x"] } } },
      "open",
      { body: "Else." },
    ),
  "a grant": ({ registry }) => grantSkill("own", { kind: "user", key: "eve" }, { by: ada }, registry),
  "an agent": ({ registry }) => addAgent({ key: "a", owner: "eve", runtime: "x" }, { by: root }, registry),
  "a deletion": ({ registry }) => deleteSkill("open", { by: ada }, registry),
};

describe.each(engines)("the view version on %s", (engine) => {
  test.each(Object.keys(changes))("increases after %s [S-55]", async (name) => {
    const gateway = await openOn(engine);
    try {
      // Others get a number of their own list, which does not depend on hidden skills.
      const admin = asker(gateway, await gateway.asRole("admin", "root"));
      await put(gateway, "own");
      await put(gateway, "open", { visibility: "public" });
      const list = async () => answerOf("listSkills", await admin("GET", "/v1/skills"));
      // Notifications of the setup may still be pending; the last one arrives last.
      await vi.waitFor(async () => expect((await list()).skills).toHaveLength(2), 120_000);
      const before = await vi.waitFor(async () => {
        const [first, second] = [await list(), await new Promise((end) => setImmediate(end)).then(list)];
        expect(second.version).toBe(first.version);
        return second;
      }, 120_000);
      await changes[name]?.(gateway);
      // PostgreSQL notifies of other connections' commits with a short delay.
      await vi.waitFor(async () => expect((await list()).version).toBeGreaterThan(before.version), 120_000);
    } finally {
      await gateway.close();
    }
  });

  test("does not change when agents use skills, and responses stay cached [S-55]", async () => {
    const gateway = await openOn(engine);
    try {
      const eve = asker(gateway, await gateway.asRole("viewer", "eve"));
      const helper = asker(gateway, await gateway.asRole("agent", "eve", "helper"));
      await put(gateway, "open", { visibility: "public" });
      const get = async () => {
        const response = await eve("GET", "/v1/skills");
        return [response.headers.get("etag"), await response.text()];
      };
      await vi.waitFor(async () => expect((await get())[1]).toMatch(/"total":1/), 120_000);
      const before = await get();
      for (let at = 0; at < 5; at += 1) expect((await helper("GET", "/v1/skills/open")).status).toBe(200);
      expect(await get()).toEqual(before);
    } finally {
      await gateway.close();
    }
  });

  test("a client reads its own writes at the same gateway [S-55]", async () => {
    const gateway = await openOn(engine);
    try {
      await put(gateway, "own");
      const owner = asker(gateway, await gateway.asRole("publisher", "ada"));
      const shown = async () => {
        const { skills } = await answerOf("listSkills", await owner("GET", "/v1/skills?view=all"));
        return skills[0]?.registry?.enabled;
      };
      for (let round = 0; round < 10; round += 1) {
        const enabled = round % 2 === 1;
        await owner("POST", "/v1/skills/own/toggle", { body: { enabled } });
        expect(await shown()).toBe(enabled);
      }
    } finally {
      await gateway.close();
    }
  });
});

test("a change at one gateway is visible at another on the same database [S-55]", async () => {
  const url = await freshDatabase();
  const [a, b] = [await openTestGateway({ url }), await openTestGateway({ url })];
  try {
    const owner = asker(a, await a.asRole("publisher", "ada"));
    await put(a, "own");
    const eve = asker(b, await b.asRole("viewer", "eve"));
    const list = async () =>
      (await answerOf("listSkills", await eve("GET", "/v1/skills"))).skills.map(({ entry }) => entry.id);
    expect(await list()).toEqual([]);
    await owner("PUT", "/v1/skills/own", { body: { visibility: "public" } });
    await vi.waitFor(async () => expect(await list()).toEqual(["own"]), 120_000);
    await owner("PUT", "/v1/skills/own", { body: { visibility: "private" } });
    // The text is never from a cache that the store was not asked about.
    expect((await eve("GET", "/v1/skills/own")).status).toBe(404);
    await vi.waitFor(async () => expect(await list()).toEqual([]), 120_000);
  } finally {
    await b.close();
    await a.close();
  }
});

const ids = ["zaq-one", "zaq-two", "zaq-three"] as const;
const users = ["ada", "bob", "eve"] as const;
const anId = fc.constantFrom(...ids);
const aUser = fc.constantFrom(...users);
const principals = fc.constantFrom(
  ["viewer", "ada", undefined],
  ["publisher", "ada", undefined],
  ["publisher", "bob", undefined],
  ["viewer", "eve", undefined],
  ["agent", "ada", "helper"],
  ["agent", "eve", "other"],
  ["admin", "root", undefined],
) as fc.Arbitrary<Parameters<TestGateway["asRole"]>>;
const step = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(fc.constant("publish" as const), anId, aUser) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant("edit" as const), anId, fc.constantFrom("public", "private")),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant("grant" as const), anId, fc.constantFrom(...users, "helper", "other")),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant("revoke" as const), anId, fc.constantFrom(...users, "helper", "other")),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("toggle" as const), anId, fc.constantFrom("on", "off")) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constant("remove" as const), anId, fc.constantFrom("delete", "restore")),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant("allow" as const), anId, fc.constantFrom("helper", "other")) },
);

/** Makes one change. A rejected change is fine, because it keeps the state. */
async function change(
  [what, id, to]: readonly [string, string, string],
  gateway: TestGateway,
): Promise<void> {
  const { registry } = gateway;
  const by = root;
  const kind = users.some((user) => user === to) ? "user" : "agent";
  const made = {
    publish: () => put(gateway, id, { by: { user: to, role: "publisher" }, body: `By ${to}.` }),
    edit: () => editSkill(id, { visibility: to === "public" ? "public" : "private" }, { by }, registry),
    grant: () => grantSkill(id, { kind, key: to }, { by }, registry),
    revoke: () => revokeSkill(id, { kind, key: to }, { by }, registry),
    toggle: () => toggleSkill(id, to === "on", { by }, registry),
    remove: () => (to === "delete" ? deleteSkill : restoreSkill)(id, { by }, registry),
    allow: () => changeAgent(to, { allow: [id] }, { by }, registry),
  }[what];
  await made?.().catch(() => {});
}

test("a cached response never contains a skill that is hidden from the caller [S-55]", async () => {
  const walks = fc.array(
    fc.tuple(fc.option(step, { freq: 2 }), fc.array(principals, { minLength: 1, maxLength: 4 })),
    {
      minLength: 4,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const gateway = await openTestGateway();
      try {
        await gateway.asRole("agent", "ada", "helper");
        await gateway.asRole("agent", "eve", "other");
        for (const [done, asking] of walk) {
          if (done !== null) await change(done, gateway);
          for (const who of asking) await expectOwn(who, gateway);
        }
      } finally {
        await gateway.close();
      }
    }),
    { numRuns: 25 },
  );
});

async function expectOwn(who: Parameters<TestGateway["asRole"]>, gateway: TestGateway): Promise<void> {
  const [role, user, agent] = who;
  const ask = asker(gateway, await gateway.asRole(...who));
  const viewer = await viewerFor(agent, user, gateway.registry);
  const visible = (await gateway.context.library.list(viewer)).map(({ id }) => id as string);
  const listed = await answerOf("listSkills", await ask("GET", "/v1/skills?view=visible"));
  expect(listed.skills.map(({ entry }) => entry.id)).toEqual(visible);
  const answers = ["/v1/skills?view=visible", "/v1/catalogue", "/v1/skills/search?q=zaq"];
  for (const path of answers) {
    const text = await (await ask("GET", path)).text();
    for (const id of ids) if (!visible.includes(id)) expect(text).not.toContain(id);
  }
  const rows = await gateway.registry.store.listSkills();
  for (const id of ids) {
    const row = rows.find((each) => each.id === id);
    const isOverseer =
      agent === undefined && (role === "admin" || (role === "publisher" && row?.owner === user));
    const { status } = await ask("GET", `/v1/skills/${id}`);
    const isTold = visible.includes(id) || (row !== undefined && isOverseer);
    expect([who, id, status]).toEqual([who, id, isTold ? 200 : 404]);
  }
}
