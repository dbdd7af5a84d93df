import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { addAgent, grantSkill, toggleSkill } from "@skillhold/registry/access";
import { deleteSkill, purgeSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, catchUp, engines, openOn, put } from "./skill.fixture.ts";

const admin = { user: "root", role: "admin" } as const;

describe.each(engines)("skills over HTTP on %s", (engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openOn(engine);
  });
  afterEach(() => gateway.close());

  const as = async (...who: Parameters<TestGateway["asRole"]>) => {
    const asked = asker(gateway, await gateway.asRole(...who));
    return async (...words: Parameters<typeof asked>) => {
      await catchUp(gateway);
      return await asked(...words);
    };
  };
  const idsOf = async (response: Response) =>
    (await answerOf("listSkills", response)).skills.map(({ entry }) => entry.id);

  test("reads a skill and lists its files without a copy on disk [S-53]", async () => {
    await put(gateway, "open", { visibility: "public" });
    const reader = await as("viewer", "eve");
    const { body } = await answerOf("getSkill", await reader("GET", "/v1/skills/open"));
    const { files } = await answerOf("listFiles", await reader("GET", "/v1/skills/open/files"));
    expect([body.trim(), files.map(({ path }) => path)]).toEqual(["Do it.", ["SKILL.md"]]);
    expect(await readdir(join(gateway.folder, "copies"))).toEqual([]);
  });

  test("lists visible skills, and hidden ones for their managers [S-53]", async () => {
    await put(gateway, "open", { visibility: "public" });
    await put(gateway, "off", { visibility: "public" });
    await put(gateway, "own");
    await put(gateway, "gone");
    await toggleSkill("off", false, { by: ada }, gateway.registry);
    await deleteSkill("gone", { by: ada }, gateway.registry);
    const [root, owner, other] = [
      await as("admin", "root"),
      await as("publisher", "ada"),
      await as("viewer", "eve"),
    ];
    expect(await idsOf(await other("GET", "/v1/skills"))).toEqual(["open"]);
    expect(await idsOf(await other("GET", "/v1/skills?view=all"))).toEqual(["open"]);
    expect(await idsOf(await other("GET", "/v1/skills?view=deleted"))).toEqual([]);
    expect(await idsOf(await owner("GET", "/v1/skills"))).toEqual(["open", "own"]);
    expect(await idsOf(await owner("GET", "/v1/skills?view=all"))).toEqual(["off", "open", "own"]);
    expect(await idsOf(await owner("GET", "/v1/skills?view=deleted"))).toEqual(["gone"]);
    expect(await idsOf(await root("GET", "/v1/skills?view=visible"))).toEqual(["open"]);
    expect(await idsOf(await root("GET", "/v1/skills?view=all"))).toEqual(["off", "open", "own"]);
    // Administrators see disabled skills, except when they view as another user.
    expect(await idsOf(await root("GET", "/v1/skills"))).toEqual(["off", "open", "own"]);
    expect(await idsOf(await root("GET", "/v1/skills?user=ada"))).toEqual(["open", "own"]);
    const { skills } = await answerOf("listSkills", await root("GET", "/v1/skills?view=deleted"));
    expect(skills).toMatchObject([
      { registry: { status: "deleted", canManage: true }, access: { isVisible: false, reason: "deleted" } },
    ]);
    // What cannot be restored is not shown as if it could.
    await purgeSkill("gone", { by: admin, graceMs: 0 }, gateway.registry);
    expect(await idsOf(await root("GET", "/v1/skills?view=deleted"))).toEqual([]);
  });

  test("a row has the owner, the state and the reason for the visibility [S-44]", async () => {
    await put(gateway, "own");
    await toggleSkill("own", false, { by: ada }, gateway.registry);
    const root = await as("admin", "root");
    const { skills } = await answerOf("listSkills", await root("GET", "/v1/skills?view=all"));
    expect(skills).toMatchObject([
      {
        entry: { id: "own", path: "registry:own@1", revision: 1 },
        registry: { owner: "ada", visibility: "private", enabled: false, status: "active", canManage: true },
        access: { isVisible: false, reason: "disabled", message: "The skill is disabled." },
      },
    ]);
  });

  test("an agent does not see hidden skills that its user manages [S-43]", async () => {
    await put(gateway, "own");
    await put(gateway, "limited");
    const by = { user: "root", role: "admin" } as const;
    await addAgent({ key: "helper", owner: "ada", runtime: "x", allow: ["own"] }, { by }, gateway.registry);
    await toggleSkill("own", false, { by: ada }, gateway.registry);
    for (const role of ["agent", "publisher", "admin"] as const) {
      const helper = await as(role, "ada", "helper");
      expect(await idsOf(await helper("GET", "/v1/skills?view=all"))).toEqual([]);
      expect(await idsOf(await helper("GET", "/v1/skills?view=deleted"))).toEqual([]);
      expect((await helper("GET", "/v1/skills/limited")).status).toBe(404);
    }
  });

  test("only administrators view skills as another user [S-53]", async () => {
    await put(gateway, "own");
    const root = await as("admin", "root");
    expect(await idsOf(await root("GET", "/v1/skills?user=ada"))).toEqual(["own"]);
    const eve = await as("viewer", "eve");
    expect(await problemOf(await eve("GET", "/v1/skills?user=ada"))).toMatchObject({ code: "FORBIDDEN" });
  });

  test("reads a skill by id and by UUID with its files and record [S-53]", async () => {
    const { uid } = await put(gateway, "own", { files: { "scripts/a.sh*": "echo a\n" }, body: "# Hello" });
    const owner = await as("publisher", "ada");
    const byId = await answerOf("getSkill", await owner("GET", "/v1/skills/own"));
    expect(byId).toMatchObject({
      body: "# Hello\n",
      frontmatter: { name: "own" },
      registry: { uid, canManage: true },
      files: [
        { path: "SKILL.md", executable: false },
        { path: "scripts/a.sh", executable: true, role: "script" },
      ],
    });
    expect(await answerOf("getSkill", await owner("GET", `/v1/skills/${uid}`))).toEqual(byId);
  });

  test("a hidden skill gives the same error as a missing one [S-53]", async () => {
    const { uid } = await put(gateway, "own");
    const eve = await as("publisher", "eve");
    const nobody = "00000000-0000-4000-8000-000000000000";
    const routes = [
      ["GET", ""],
      ["GET", "/versions"],
      ["GET", "/files"],
      ["GET", "/files/SKILL.md"],
      ["GET", "/diff?from=1&to=1"],
      ["GET", "/archive"],
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/restore"],
      ["POST", "/toggle", { enabled: false }],
      ["POST", "/status", { status: "archived" }],
      ["POST", "/rollback", { revision: 1 }],
    ] as const;
    for (const [method, rest, body] of routes) {
      const refusal = async (key: string) => {
        const problem = await problemOf(await eve(method, `/v1/skills/${key}${rest}`, { body }));
        return JSON.stringify(problem).replaceAll(key, "KEY");
      };
      const missing = await refusal("nothing");
      expect([method, rest, JSON.parse(missing).code]).toEqual([method, rest, "SKILL_NOT_FOUND"]);
      expect(await refusal("own")).toBe(missing);
      expect(await refusal(uid ?? "")).toBe(missing);
      expect(await refusal(nobody)).toBe(missing);
    }
  });

  test("administrators and managers read hidden skills [S-44]", async () => {
    await put(gateway, "own", { body: "Secret." });
    await grantSkill("own", { kind: "user", key: "max" }, { by: ada, canManage: true }, gateway.registry);
    await toggleSkill("own", false, { by: ada }, gateway.registry);
    for (const who of [await as("admin", "root"), await as("publisher", "max")])
      expect(await answerOf("getSkill", await who("GET", "/v1/skills/own"))).toMatchObject({
        body: "Secret.\n",
        access: { isVisible: false },
      });
    // A viewer cannot manage skills, regardless of grants.
    expect((await (await as("viewer", "max"))("GET", "/v1/skills/own")).status).toBe(404);
    await deleteSkill("own", { by: admin }, gateway.registry);
    const root = await as("admin", "root");
    expect(await answerOf("getSkill", await root("GET", "/v1/skills/own"))).toMatchObject({
      registry: { status: "deleted" },
      access: { reason: "deleted" },
    });
  });

  test("searches skills by topic and renders the catalogue [S-53]", async () => {
    await put(gateway, "sheet-maker", { visibility: "public", body: "Makes spreadsheets of invoices." });
    await put(gateway, "secret-sheet", { body: "Makes spreadsheets of invoices." });
    const eve = await as("viewer", "eve");
    const { hits } = await answerOf(
      "searchSkills",
      await eve("GET", "/v1/skills/search?q=spreadsheet%20invoice"),
    );
    expect(hits.map(({ row }) => row.entry.id)).toEqual(["sheet-maker"]);
    const found = await answerOf("getCatalogue", await eve("GET", "/v1/catalogue?format=markdown"));
    expect(found).toMatchObject({ format: "markdown", inline: ["sheet-maker"], isComplete: true });
    expect(found.text).not.toMatch(/secret-sheet/);
  });

  test("returns an edit at once and ignores `enabled` [S-45]", async () => {
    await put(gateway, "own");
    const owner = await as("publisher", "ada");
    const change = { description: "Other words.", tags: ["new"], visibility: "public", enabled: false };
    const { row, status } = await answerOf(
      "updateSkill",
      await owner("PUT", "/v1/skills/own", { body: change }),
    );
    expect(status).toBe("edited");
    expect(row).toMatchObject({
      entry: { description: "Other words.", tags: ["new"] },
      registry: { visibility: "public", enabled: true },
    });
    const eve = await as("viewer", "eve");
    expect(await idsOf(await eve("GET", "/v1/skills?tag=NEW"))).toEqual(["own"]);
    expect(await idsOf(await eve("GET", "/v1/skills?tag=other"))).toEqual([]);
    expect(await problemOf(await eve("PUT", "/v1/skills/own", { body: {} }))).toMatchObject({
      code: "FORBIDDEN",
    });
    const bob = await as("publisher", "bob");
    expect(await problemOf(await bob("PUT", "/v1/skills/own", { body: { name: "x" } }))).toMatchObject({
      code: "POLICY_DENIED",
    });
  });

  test("rejects changes to system skills and skills of other owners [S-53]", async () => {
    await put(gateway, "open", { visibility: "public" });
    await put(gateway, "core", { by: { user: "system", role: "system" } });
    const [root, bob] = [await as("admin", "root"), await as("publisher", "bob")];
    const writes = [
      ["PUT", "", { name: "x" }],
      ["DELETE", ""],
      ["POST", "/status", { status: "archived" }],
      ["POST", "/rollback", { revision: 1 }],
      ["POST", "/toggle", { enabled: false }],
    ] as const;
    for (const [method, rest, body] of writes) {
      const refused = await bob(method, `/v1/skills/open${rest}`, { body });
      expect([rest, (await problemOf(refused)).code]).toEqual([rest, "POLICY_DENIED"]);
      if (rest === "/toggle") continue;
      const system = await root(method, `/v1/skills/core${rest}`, { body });
      expect([rest, (await problemOf(system)).code]).toEqual([rest, "CONFLICT"]);
    }
    expect((await bob("POST", "/v1/skills/core/toggle", { body: { enabled: false } })).status).toBe(409);
    const toggled = await root("POST", "/v1/skills/core/toggle", { body: { enabled: false } });
    expect(await answerOf("toggleSkill", toggled)).toMatchObject({ enabled: false });
    expect((await bob("GET", "/v1/skills/core")).status).toBe(404);
    expect(await answerOf("getSkill", await root("GET", "/v1/skills/core"))).toMatchObject({
      registry: { system: true, enabled: false, canManage: false },
    });
  });

  test("toggles, archives, deletes and restores a skill [S-44]", async () => {
    await put(gateway, "own");
    const owner = await as("publisher", "ada");
    const toggle = (enabled: boolean) => owner("POST", "/v1/skills/own/toggle", { body: { enabled } });
    expect(await answerOf("toggleSkill", await toggle(false))).toMatchObject({ ok: true, enabled: false });
    expect(await idsOf(await owner("GET", "/v1/skills"))).toEqual([]);
    expect(await answerOf("toggleSkill", await toggle(true))).toMatchObject({
      enabled: true,
      status: "active",
    });
    const status = (body: object) => owner("POST", "/v1/skills/own/status", { body });
    expect(
      await answerOf("setStatus", await status({ status: "archived", reason: "Too old" })),
    ).toMatchObject({
      status: "archived",
    });
    expect(await idsOf(await owner("GET", "/v1/skills"))).toEqual([]);
    expect(await answerOf("setStatus", await status({ status: "active" }))).toMatchObject({
      status: "active",
    });
    expect(await answerOf("deleteSkill", await owner("DELETE", "/v1/skills/own"))).toMatchObject({
      status: "deleted",
    });
    expect(await problemOf(await owner("PUT", "/v1/skills/own", { body: { name: "x" } }))).toMatchObject({
      code: "CONFLICT",
    });
    expect(await answerOf("restoreSkill", await owner("POST", "/v1/skills/own/restore"))).toMatchObject({
      status: "restored",
    });
    expect(await idsOf(await owner("GET", "/v1/skills"))).toEqual(["own"]);
  });
});
