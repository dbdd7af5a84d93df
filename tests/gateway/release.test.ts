import { gunzipSync } from "node:zlib";
import { archiveInMemory, unpack } from "@skillhold/core/archive";
import { addAgent, grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put, send } from "./skill.fixture.ts";

const admin = { user: "root", role: "admin" } as const;

/** The paths in an archive. */
async function open(bytes: Uint8Array) {
  return (await unpack(archiveInMemory(bytes))).files.map(({ path }) => path);
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe.each(engines)("releases over HTTP on %s", (engine) => {
  let gateway: TestGateway;
  let owner: ReturnType<typeof asker>;
  beforeEach(async () => {
    gateway = await openOn(engine);
    owner = asker(gateway, await gateway.asRole("publisher", "ada"));
  });
  afterEach(() => gateway.close());

  test("lists and compares revisions and rolls back to an earlier one [S-45]", async () => {
    await put(gateway, "own", { body: "One." });
    await put(gateway, "own", { body: "Two.", files: { "new.md": "new\n" } });
    const { versions } = await answerOf("listVersions", await owner("GET", "/v1/skills/own/versions"));
    expect(versions).toMatchObject([
      { revision: 2, isCurrent: true, provenance: { source: "folder", by: { user: "ada" } } },
      { revision: 1, isCurrent: false },
    ]);
    const diff = await answerOf("diffVersions", await owner("GET", "/v1/skills/own/diff"));
    expect(diff.from.revision).toBe(1);
    expect(diff.files).toMatchObject([
      { path: "SKILL.md", change: "changed", text: expect.stringContaining("+Two.") },
      { path: "new.md", change: "added" },
    ]);
    const rolled = await answerOf(
      "rollbackSkill",
      await owner("POST", "/v1/skills/own/rollback", { body: { revision: 1 } }),
    );
    expect(rolled).toMatchObject({ from: 2, revision: 1 });
    expect((await answerOf("getSkill", await owner("GET", "/v1/skills/own"))).body).toBe("One.\n");
    const beyond = await owner("POST", "/v1/skills/own/rollback", { body: { revision: 9 } });
    expect(await problemOf(beyond)).toMatchObject({ code: "REVISION_NOT_FOUND" });
  });

  test("only managers see the agent and the origin of a revision [S-43]", async () => {
    const { registry } = gateway;
    await addAgent({ key: "ghost", owner: "ada", runtime: "x" }, { by: admin }, registry);
    await put(gateway, "own", { by: { user: "ada", role: "agent", agent: "ghost" } });
    await grantSkill("own", { kind: "user", key: "bob" }, { by: ada }, registry);
    const bob = asker(gateway, await gateway.asRole("viewer", "bob"));
    const told = await (await bob("GET", "/v1/skills/own/versions")).text();
    expect(told).toMatch(/"source":"agent"/);
    expect(told).not.toMatch(/ghost/);
    expect(await (await owner("GET", "/v1/skills/own/versions")).text()).toMatch(/"agent":"ghost"/);
  });

  test("downloads identical archives of a revision in both formats, which can be uploaded [S-46]", async () => {
    const { treeHash } = await put(gateway, "own", { files: { "scripts/a.sh*": "echo\n" } });
    for (const [query, type] of [
      ["", "application/zip"],
      ["?format=zip", "application/zip"],
      ["?format=tar.gz", "application/gzip"],
    ]) {
      const first = await owner("GET", `/v1/skills/own/archive${query}`);
      expect([first.headers.get("content-type"), first.headers.get("etag")]).toEqual([type, `"${treeHash}"`]);
      const bytes = await bytesOf(first);
      expect(await bytesOf(await owner("GET", `/v1/skills/own/archive${query}`))).toEqual(bytes);
      expect(await open(bytes)).toEqual(["SKILL.md", "scripts/a.sh"]);
      const headers = { ...(await gateway.asRole("publisher", "ada")), "content-type": type ?? "" };
      const { skills } = await answerOf(
        "uploadSkills",
        await send(gateway, "/v1/skills/upload", bytes, headers),
      );
      expect(skills).toMatchObject([{ status: "unchanged", id: "own", treeHash }]);
    }
  });

  test("an export contains the caller's skills, and grants only for managers [S-46]", async () => {
    const { registry } = gateway;
    await put(gateway, "own");
    await put(gateway, "open", { visibility: "public" });
    await put(gateway, "secret", { by: { user: "eve", role: "publisher" } });
    await addAgent({ key: "ghost", owner: "ada", runtime: "x" }, { by: admin }, registry);
    await grantSkill("own", { kind: "agent", key: "ghost" }, { by: ada }, registry);
    await grantSkill("own", { kind: "user", key: "bob" }, { by: ada }, registry);
    const bob = asker(gateway, await gateway.asRole("viewer", "bob"));
    const root = asker(gateway, await gateway.asRole("admin", "root"));
    const exported = async (who: typeof bob, query = "") => {
      const bytes = await bytesOf(await who("GET", `/v1/export${query}`));
      return [...new Set((await open(bytes)).map((path) => path.split("/", 1)[0]))];
    };
    const manifest = "skillhold-export.json";
    expect((await exported(bob)).filter((each) => each !== manifest)).toHaveLength(2);
    expect(await exported(bob)).toEqual(expect.arrayContaining(["open", "own"]));
    expect(await exported(root)).toEqual(expect.arrayContaining(["open", "own", "secret"]));
    expect(await exported(owner, "?skills=own")).not.toContain("open");
    expect(await problemOf(await bob("GET", "/v1/export?skills=own,secret"))).toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    expect(await problemOf(await bob("GET", "/v1/export?skills=../x"))).toMatchObject({ code: "USAGE" });
    for (const [who, isTold] of [
      [bob, false],
      [owner, true],
      [root, true],
    ] as const) {
      const bytes = await bytesOf(await who("GET", "/v1/export?format=tar.gz&skills=own"));
      expect(gunzipSync(bytes).includes("ghost")).toBe(isTold);
    }
  });

  test("an export does not give a pinned caller another revision [S-43]", async () => {
    await put(gateway, "own", { body: "One." });
    await put(gateway, "own", { body: "Two." });
    await grantSkill("own", { kind: "user", key: "pia" }, { by: ada, pin: 1 }, gateway.registry);
    const pia = asker(gateway, await gateway.asRole("viewer", "pia"));
    expect(await problemOf(await pia("GET", "/v1/export?skills=own"))).toMatchObject({
      code: "POLICY_DENIED",
    });
    const all = await bytesOf(await pia("GET", "/v1/export"));
    expect((await open(all)).filter((path) => path.startsWith("own/"))).toEqual([]);
  });

  test("administrators import an export into another registry [S-46]", async () => {
    await put(gateway, "own", { visibility: "public" });
    const bytes = await bytesOf(await owner("GET", "/v1/export?skills=own"));
    const there = await openOn("sqlite");
    try {
      const root = await there.asRole("admin", "root");
      const dry = await answerOf("importSkills", await send(there, "/v1/import?dryRun=true", bytes, root));
      expect(dry).toMatchObject({ hasManifest: true, skills: [{ status: "published", isDryRun: true }] });
      expect(await there.registry.store.listSkills()).toEqual([]);
      const report = await answerOf("importSkills", await send(there, "/v1/import", bytes, root));
      expect(report.skills).toMatchObject([{ id: "own", visibility: "public", restored: ["visibility"] }]);
      const publisher = await there.asRole("publisher", "ada");
      expect(await problemOf(await send(there, "/v1/import", bytes, publisher))).toMatchObject({
        code: "FORBIDDEN",
      });
    } finally {
      await there.close();
    }
  });
});
