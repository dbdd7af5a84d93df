import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openLayeredLibrary, openLibrary } from "@skillhold/core/library";
import { openGateway } from "@skillhold/gateway";
import { changeAgent, getAgent, removeAgent, toggleSkill } from "@skillhold/registry/access";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

type Headers = Readonly<Record<string, string>>;
const none = "00000000-0000-4000-8000-000000000000";
let gateway: TestGateway;
let ann: Headers;
let bob: Headers;
let admin: Headers;
beforeEach(async () => {
  gateway = await openTestGateway();
  ann = await gateway.asRole("publisher", "ann");
  bob = await gateway.asRole("publisher", "bob");
  admin = await gateway.asRole("admin", "root");
});
afterEach(() => gateway.close());

const grant = (headers: Headers, path: string, body: object = {}) =>
  ask(gateway, "PUT", `/v1/skills/${path}`, { headers, body });
const revoke = (headers: Headers, path: string) => ask(gateway, "DELETE", `/v1/skills/${path}`, { headers });
const grantsOf = (headers: Headers, id: string) =>
  ask(gateway, "GET", `/v1/skills/${id}/grants`, { headers });
const accessTo = (headers: Headers, id: string, query = "") =>
  ask(gateway, "GET", `/v1/skills/${id}/access${query}`, { headers });

describe("grants", () => {
  test("are created, listed and revoked by managers [S-43] [S-53]", async () => {
    const { uid } = await putSkill(gateway, "pdf", "ann");
    await gateway.asRole("agent", "bob", "helper");
    const given = await grant(ann, "pdf/grants/user/bob", { canManage: true });
    expect(await answerOf("putGrant", given)).toEqual({
      id: "pdf",
      grantee: { kind: "user", key: "bob" },
      status: "granted",
      visibility: "internal",
    });
    expect(
      await answerOf("putGrant", await grant(bob, `${uid}/grants/agent/helper`, { pin: 1 })),
    ).toMatchObject({
      id: "pdf",
      status: "granted",
    });
    const { grants } = await answerOf("listGrants", await grantsOf(admin, uid));
    expect(grants).toMatchObject([
      { grantee: { kind: "agent", key: "helper" }, canManage: false, pin: 1, grantedBy: "bob" },
      { grantee: { kind: "user", key: "bob" }, canManage: true, grantedBy: "ann" },
    ]);
    for (const [path, visibility] of [
      ["pdf/grants/agent/helper", "internal"],
      ["pdf/grants/user/bob", "private"],
    ] as const)
      expect(await answerOf("deleteGrant", await revoke(ann, path))).toMatchObject({
        status: "revoked",
        visibility,
      });
    expect(await answerOf("deleteGrant", await revoke(ann, "pdf/grants/user/bob"))).toMatchObject({
      status: "unchanged",
    });
  });

  test("are read and revoked by the uid or the key of an agent [S-43] [S-53]", async () => {
    await putSkill(gateway, "pdf", "ann");
    await gateway.asRole("agent", "ann", "helper");
    const { uid } = await getAgent("helper", gateway.registry);
    const [byUid, byKey] = [`pdf/grants/agent/${uid}`, "pdf/grants/agent/helper"];
    const get = (path: string) => ask(gateway, "GET", `/v1/skills/${path}`, { headers: ann });
    const etagOf = ({ headers }: Response) => headers.get("etag") ?? "";
    for (const condition of [false, true]) {
      const given = await grant(ann, byUid);
      expect(await answerOf("getGrant", await get(byUid))).toMatchObject({ grantee: { key: "helper" } });
      expect(etagOf(await get(byUid))).toBe(etagOf(await get(byKey)));
      const headers = condition ? { ...ann, "if-match": etagOf(given) } : ann;
      expect(await answerOf("deleteGrant", await revoke(headers, byUid))).toMatchObject({
        status: "revoked",
        grantee: { kind: "agent", key: "helper" },
      });
      expect([(await get(byUid)).status, (await get(byKey)).status]).toEqual([404, 404]);
    }
    const stale = { ...ann, "if-match": '"0"' };
    await grant(ann, byKey);
    expect((await revoke(stale, byUid)).status).toBe(412);
  });

  test("to another user's agent wait until its owner answers [S-43] [S-53]", async () => {
    await putSkill(gateway, "pdf", "ann");
    await gateway.asRole("agent", "bob", "helper");
    const bob = await gateway.asRole("publisher", "bob");
    const pending = async (headers: typeof ann) =>
      (await answerOf("listPendingGrants", await ask(gateway, "GET", "/v1/grants/pending", { headers })))
        .grants;
    const answer = (headers: typeof ann, accept: boolean) =>
      ask(gateway, "POST", "/v1/grants/pending/pdf/helper", { headers, body: { accept } });
    const asked = { id: "pdf", agent: "helper", owner: "bob", requestedBy: "ann" };
    expect(await answerOf("putGrant", await grant(ann, "pdf/grants/agent/helper"))).toMatchObject({
      status: "pending",
      visibility: "private",
    });
    expect(await pending(ann)).toMatchObject([{ ...asked, mayAnswer: false }]);
    expect(await pending(bob)).toMatchObject([{ ...asked, mayAnswer: true }]);
    expect(await pending(await gateway.asRole("viewer", "eve"))).toEqual([]);
    expect(await problemOf(await answer(ann, true))).toMatchObject({ code: "GRANT_NOT_FOUND" });
    expect(await answerOf("answerGrant", await answer(bob, true))).toMatchObject({ status: "granted" });
    const agent = await gateway.asRole("agent", "bob", "helper");
    expect((await ask(gateway, "GET", "/v1/skills/pdf", { headers: agent })).status).toBe(200);
    expect([await pending(ann), await pending(bob)]).toEqual([[], []]);
  });

  test("of a removed agent are revoked by its key [S-43] [S-53]", async () => {
    const { uid } = await putSkill(gateway, "pdf", "ann");
    await gateway.asRole("agent", "bob", "helper");
    const { registry } = gateway;
    await removeAgent("helper", { by: { user: "root", role: "admin" } }, registry);
    for (const key of ["helper", "never-there"]) {
      const left = { skill: uid, grantee: { kind: "agent", key }, canManage: false, pin: undefined } as const;
      const at = new Date().toISOString();
      await registry.store.transaction((tx) => tx.putGrant({ ...left, grantedBy: "ann", at }));
      const taken = await revoke(ann, `pdf/grants/agent/${key}`);
      expect(await answerOf("deleteGrant", taken)).toMatchObject({ status: "revoked", grantee: { key } });
    }
    expect(await registry.store.listGrants([uid])).toEqual([]);
  });

  test("require an existing agent and revision [S-43] [S-53]", async () => {
    await putSkill(gateway, "pdf", "ann");
    const codeOf = async (path: string, body: object = {}) =>
      (await problemOf(await grant(ann, path, body))).code;
    expect(await codeOf("pdf/grants/agent/gone")).toBe("AGENT_NOT_FOUND");
    expect(await codeOf("pdf/grants/user/bob", { pin: 7 })).toBe("REVISION_NOT_FOUND");
    for (const [path, body] of [
      ["pdf/grants/role/admin", {}],
      ["pdf/grants/user/bob", { pin: 0 }],
      ["pdf/grants/user/bob", { canManage: "yes" }],
      ["pdf/grants/agent/helper", { canManage: true }],
      ["pdf/grants/user/bob", { grantedBy: "root" }],
      ["pdf/grants/user/bob", { visibility: "public" }],
      ["pdf/grants/user/%0d%0abob", {}],
      ["pdf/grants/user/%20bob", {}],
    ] as const)
      expect([path, body, await codeOf(path, body)]).toEqual([path, body, "USAGE"]);
  });

  test("of a hidden skill give the error of a missing skill [S-43] [S-53]", async () => {
    const { uid } = await putSkill(gateway, "pdf", "ann");
    const wordsFor = async (ask: (key: string) => Promise<Response>, key: string) =>
      JSON.stringify(await problemOf(await ask(key))).replaceAll(key, "KEY");
    for (const attempt of [
      (key: string) => grantsOf(bob, key),
      (key: string) => grant(bob, `${key}/grants/user/bob`),
      (key: string) => grant(bob, `${key}/grants/user/bob`, { pin: 1 }),
      (key: string) => revoke(bob, `${key}/grants/user/ann`),
      (key: string) => accessTo(bob, key),
    ]) {
      expect(await wordsFor(attempt, "pdf")).toBe(await wordsFor(attempt, "gone"));
      expect(await wordsFor(attempt, uid)).toBe(await wordsFor(attempt, none));
      expect(await wordsFor(attempt, "pdf")).toContain("SKILL_NOT_FOUND");
    }
  });

  test("cannot be created by users of a skill or by agents [S-43] [S-53]", async () => {
    await putSkill(gateway, "pdf", "ann");
    await grant(ann, "pdf/grants/user/bob");
    expect((await grant(bob, "pdf/grants/user/eve")).status).toBe(404);
    await putSkill(gateway, "open", "ann", "public");
    expect(await problemOf(await grant(bob, "open/grants/user/eve"))).toMatchObject({
      code: "POLICY_DENIED",
    });
    const acting = await gateway.asRole("publisher", "ann", "helper");
    for (const path of ["pdf/grants/user/eve", "pdf/grants/agent/helper"])
      expect(await problemOf(await grant(acting, path))).toMatchObject({ code: "POLICY_DENIED" });
    expect(await problemOf(await revoke(acting, "pdf/grants/user/bob"))).toMatchObject({
      code: "POLICY_DENIED",
    });
    const agent = await gateway.asRole("agent", "ann", "helper");
    expect(await problemOf(await grant(agent, "pdf/grants/agent/helper"))).toMatchObject({
      code: "FORBIDDEN",
    });
  });
});

describe("an access explanation", () => {
  test("is returned to viewers who may know of the skill [S-43] [S-53]", async () => {
    const { uid } = await putSkill(gateway, "pdf", "ann");
    await gateway.asRole("agent", "bob", "helper");
    expect(await answerOf("explainAccess", await accessTo(ann, uid))).toMatchObject({
      id: "pdf",
      uid,
      owner: "ann",
      visibility: "private",
      revision: 1,
      isVisible: true,
      rule: "owner",
    });
    expect((await accessTo(bob, "pdf")).status).toBe(404);
    await grant(admin, "pdf/grants/agent/helper");
    // The grant is the agent's, and its owner may view as the agent.
    expect((await accessTo(bob, "pdf")).status).toBe(404);
    expect(await answerOf("explainAccess", await accessTo(bob, "pdf", "?agent=helper"))).toMatchObject({
      isVisible: true,
      rule: "agent-grant",
    });
    expect(await answerOf("explainAccess", await accessTo(admin, "pdf", "?user=eve"))).toMatchObject({
      isVisible: false,
      reason: "no-grant",
    });
    for (const query of ["?user=ann", "?user=root"])
      expect(await problemOf(await accessTo(bob, "pdf", query))).toMatchObject({ code: "FORBIDDEN" });
  });

  test("is returned for a disabled skill to its owner [S-44] [S-53]", async () => {
    const by = { user: "ann", role: "publisher" } as const;
    for (const [id, visibility] of [
      ["pdf", "private"],
      ["open", "public"],
    ] as const) {
      await putSkill(gateway, id, "ann", visibility);
      await toggleSkill(id, false, { by }, gateway.registry);
    }
    const reasonFor = async (headers: Headers, id: string) => {
      const response = await accessTo(headers, id);
      return response.ok ? (await answerOf("explainAccess", response)).reason : response.status;
    };
    expect([await reasonFor(ann, "pdf"), await reasonFor(bob, "pdf")]).toEqual(["disabled", 404]);
    expect([await reasonFor(ann, "open"), await reasonFor(bob, "open")]).toEqual(["disabled", "disabled"]);
  });

  test("is not returned for a skill outside the agent's allow list [S-43] [S-53]", async () => {
    const agent = await gateway.asRole("agent", "bob", "helper");
    await putSkill(gateway, "open", "ann", "public");
    await putSkill(gateway, "other", "ann", "public");
    const by = { user: "bob", role: "publisher" } as const;
    await changeAgent("helper", { allow: ["other"] }, { by }, gateway.registry);
    expect((await accessTo(agent, "other")).status).toBe(200);
    expect((await accessTo(agent, "open")).status).toBe(404);
    const explained = await ask(gateway, "GET", "/v1/explain", { headers: agent });
    const { explanations } = await answerOf("explainAll", explained);
    expect(explanations.map(({ id }) => id)).toEqual(["other"]);
    for (const query of ["?agent=second", "?user=ann", "?agent=gone"])
      expect(await problemOf(await accessTo(agent, "other", query))).toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("the list of explanations", () => {
  const explain = async (headers: Headers, query = "", app: Parameters<typeof ask>[0] = gateway) => {
    const response = await ask(app, "GET", `/v1/explain${query}`, { headers });
    return (await answerOf("explainAll", response)).explanations;
  };

  test("has the skills that the caller may know of, and all for administrators [S-43] [S-53]", async () => {
    await putSkill(gateway, "hers", "ann");
    await putSkill(gateway, "his", "bob");
    await putSkill(gateway, "open", "ann", "public");
    await toggleSkill("open", false, { by: { user: "ann", role: "publisher" } }, gateway.registry);
    const stateFor = async (headers: Headers, query = "") =>
      (await explain(headers, query)).map(({ id, state, reason }) => [id, state, reason]);
    expect(await stateFor(ann)).toEqual([
      ["hers", "visible", "visible"],
      ["open", "hidden", "disabled"],
    ]);
    expect(await stateFor(bob)).toEqual([
      ["his", "visible", "visible"],
      ["open", "hidden", "disabled"],
    ]);
    expect(await stateFor(admin, "?user=ann")).toEqual([
      ["hers", "visible", "visible"],
      ["his", "hidden", "no-grant"],
      ["open", "hidden", "disabled"],
    ]);
  });

  test("discloses no paths and no hidden skills, also when they are shadowed [S-43]", async () => {
    const root = join(gateway.folder, "shared-folder");
    for (const id of ["hers", "common"]) {
      await mkdir(join(root, id), { recursive: true });
      const text = `---\nname: ${id}\ndescription: In a folder.\n---\nDo it.\n`;
      await writeFile(join(root, id, "SKILL.md"), text);
    }
    await mkdir(join(root, "broken"));
    await writeFile(join(root, "broken", "SKILL.md"), "---\nname: [\n---\n");
    // One in the registry that cannot be used is its owner's alone.
    await putSkill(gateway, "hers", "ann");
    await putSkill(gateway, "secret-plan", "ann");
    const { registry, context } = gateway;
    const source = { label: "shared", kind: "user", trust: "user", root } as const;
    const folders = await openLibrary({ sources: [source], host: context.host });
    const skills = await openRegistryLibrary({ host: context.host }, registry);
    const library = await openLayeredLibrary([skills, folders]);
    const sources = [...context.sources, { label: "shared", trust: "user", path: root }];
    const layered = openGateway({ ...context, library, skills, sources });
    try {
      for (const headers of [bob, await gateway.asRole("agent", "bob", "helper")]) {
        const seen = await explain(headers, "", layered);
        expect(seen.map(({ id, source, state }) => [id, source, state])).toEqual(
          expect.arrayContaining([
            ["common", "shared", "visible"],
            ["hers", "shared", "visible"],
          ]),
        );
        expect(JSON.stringify(seen)).not.toContain(gateway.folder);
        expect(seen.filter(({ source }) => source === "registry")).toEqual([]);
        expect(JSON.stringify(seen)).not.toContain("secret-plan");
      }
      const hers = await explain(ann, "", layered);
      expect(hers.filter(({ id }) => id === "hers").map(({ source, state }) => [source, state])).toEqual(
        expect.arrayContaining([
          ["registry", expect.any(String)],
          ["shared", expect.any(String)],
        ]),
      );
      expect(JSON.stringify(hers)).not.toContain(gateway.folder);
      expect(JSON.stringify(await explain(admin, "", layered))).toContain(root);
    } finally {
      await layered.close();
      await library.close();
    }
  });
});

test("managers can list the users to grant to [S-53]", async () => {
  await putSkill(gateway, "pdf", "ann");
  await grant(ann, "pdf/grants/user/bob");
  const { users } = await answerOf("listUsers", await ask(gateway, "GET", "/v1/users", { headers: bob }));
  expect(users.map(({ name }) => name)).toEqual(expect.arrayContaining(["ann", "bob"]));
});

test("an owner grants a published skill, also on PostgreSQL [S-43] [S-53]", async () => {
  const { freshDatabase } = await import("../postgres-database.ts");
  const other = await openTestGateway({ url: await freshDatabase() });
  try {
    const { uid } = await putSkill(other, "pdf", "ann");
    const [owner, user] = [await other.asRole("publisher", "ann"), await other.asRole("viewer", "bob")];
    const access = () => ask(other, "GET", `/v1/skills/${uid}/access`, { headers: user });
    expect((await access()).status).toBe(404);
    const path = `/v1/skills/${uid}/grants/user/bob`;
    await answerOf("putGrant", await ask(other, "PUT", path, { headers: owner, body: {} }));
    expect(await answerOf("explainAccess", await access())).toMatchObject({ rule: "user-grant" });
    await answerOf("deleteGrant", await ask(other, "DELETE", path, { headers: owner }));
    expect((await access()).status).toBe(404);
  } finally {
    await other.close();
  }
});
