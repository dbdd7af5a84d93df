import { hash } from "node:crypto";
import { archiveInMemory, unpack } from "@skillhold/core/archive";
import { archiveSkill, grantSkill, toggleSkill } from "@skillhold/registry/access";
import { deleteSkill, editSkill } from "@skillhold/registry/release";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openFolderGateway } from "./folder.fixture.ts";
import { ask, HOST, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, engines, openOn, put } from "./skill.fixture.ts";

const V2 = "/.well-known/agent-skills";
const V1 = "/.well-known/skills";

const Index = z.strictObject({
  $schema: z.literal("https://schemas.agentskills.io/discovery/0.2.0/schema.json"),
  skills: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      type: z.enum(["skill-md", "archive"]),
      description: z.string().min(1).max(1024),
      url: z.string(),
      digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    }),
  ),
});
const LegacyIndex = z.strictObject({
  skills: z.array(
    z.strictObject({ name: z.string(), description: z.string().min(1), files: z.array(z.string()).min(1) }),
  ),
});

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const digestOf = (bytes: Uint8Array) => `sha256:${hash("sha256", bytes, "hex")}`;

async function pathsIn(bytes: Uint8Array): Promise<readonly string[]> {
  return (await unpack(archiveInMemory(bytes))).files.map(({ path }) => path);
}

describe.each(engines)("discovery on %s", (engine) => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await openOn(engine, { options: { isDiscoverable: true } });
  });
  afterEach(() => gateway.close());
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(gateway, "GET", path, { headers });

  test("lists public, active skills in their current revision with their downloads [S-48]", async () => {
    await put(gateway, "plain", { visibility: "public", body: "One." });
    await put(gateway, "plain", { body: "Two." });
    await put(gateway, "many", {
      visibility: "public",
      files: { "scripts/a.sh*": "echo\n", "b..c.md": "x" },
    });
    const index = Index.parse(await (await get(`${V2}/index.json`)).json());
    expect(index.skills).toMatchObject([
      { name: "many", type: "archive", url: "many.tar.gz", description: "Does many things." },
      { name: "plain", type: "skill-md", url: "plain/SKILL.md" },
    ]);
    for (const { url, digest, type } of index.skills) {
      const response = await get(new URL(url, `http://${HOST}${V2}/index.json`).pathname);
      const bytes = await bytesOf(response);
      expect(digestOf(bytes)).toBe(digest);
      expect(response.headers.get("content-type")).toBe(
        type === "archive" ? "application/gzip" : "text/markdown; charset=utf-8",
      );
      if (type === "archive") expect(await pathsIn(bytes)).toEqual(["SKILL.md", "b..c.md", "scripts/a.sh"]);
      else expect(Buffer.from(bytes).toString()).toContain("Two.");
    }
  });

  test("the older format lists the files, and each can be fetched [S-48]", async () => {
    await put(gateway, "dots", { visibility: "public", files: { "b..c.md": "x" } });
    await put(gateway, "many", {
      visibility: "public",
      files: { "references/a b.md": "A.", "c.html": "<b>" },
    });
    const index = LegacyIndex.parse(await (await get(`${V1}/index.json`)).json());
    expect(index.skills).toEqual([
      { name: "many", description: "Does many things.", files: ["SKILL.md", "c.html", "references/a b.md"] },
    ]);
    for (const file of index.skills[0]?.files ?? [])
      expect((await get(`${V1}/many/${encodeURI(file)}`)).status).toBe(200);
    expect((await get(`${V1}/many/c.html`)).headers.get("content-type")).toBe("text/plain; charset=utf-8");
  });

  test("serves no skill that is not public [S-48]", async () => {
    const { registry } = gateway;
    const by = { by: ada };
    for (const id of ["own", "shared", "off", "archived", "gone", "hidden-again"])
      await put(gateway, id, { visibility: "public", files: { "a.md": "x" } });
    await editSkill("own", { visibility: "private" }, by, registry);
    await editSkill("shared", { visibility: "private" }, by, registry);
    await grantSkill("shared", { kind: "user", key: "bob" }, by, registry);
    await toggleSkill("off", false, by, registry);
    await archiveSkill("archived", { ...by, reason: "old" }, registry);
    await deleteSkill("gone", by, registry);
    await put(gateway, "lacking", { visibility: "public" });
    const hooks = { missing: async () => ["pip:x"] };
    await toggleSkill("lacking", false, by, registry);
    await toggleSkill("lacking", true, by, { ...registry, hooks });
    expect((await get(`${V2}/hidden-again.tar.gz`)).status).toBe(200);
    await editSkill("hidden-again", { visibility: "private" }, by, registry);
    expect(Index.parse(await (await get(`${V2}/index.json`)).json()).skills).toEqual([]);
    expect(await (await get(`${V1}/index.json`)).json()).toEqual({ skills: [] });
    const rows = await registry.store.listSkills();
    for (const { id, uid } of rows)
      for (const name of [id, uid])
        for (const path of [
          `${V2}/${name}.tar.gz`,
          `${V2}/${name}/SKILL.md`,
          `${V1}/${name}/SKILL.md`,
          `${V1}/${name}/a.md`,
        ]) {
          const refused = await get(path, await gateway.asRole("admin", "root"));
          expect([path, (await problemOf(refused)).code]).toEqual([path, "ROUTE_NOT_FOUND"]);
        }
  });

  test("a token does not extend the public list [S-48]", async () => {
    await put(gateway, "own");
    const asAda = await get(`${V2}/index.json`, await gateway.asRole("publisher", "ada"));
    expect(Index.parse(await asAda.json()).skills).toEqual([]);
  });
});

describe("the discovery pages", () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  test("are off by default [S-48]", async () => {
    gateway = await openTestGateway();
    await put(gateway, "plain", { visibility: "public" });
    const missing = await problemOf(await ask(gateway, "GET", "/.well-known/nothing"));
    for (const path of [
      `${V2}/index.json`,
      `${V1}/index.json`,
      `${V2}/plain/SKILL.md`,
      `${V1}/plain/SKILL.md`,
    ])
      expect(await problemOf(await ask(gateway, "GET", path))).toEqual(missing);
  });

  test("allow every origin, unlike other routes [S-48]", async () => {
    gateway = await openTestGateway({ options: { isDiscoverable: true } });
    await put(gateway, "plain", { visibility: "public" });
    const headers = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
    for (const path of [`${V2}/index.json`, `${V2}/plain/SKILL.md`, `${V1}/index.json`]) {
      const response = await ask(gateway, "GET", path, { headers });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(response.headers.get("cache-control")).toBe("public, no-cache");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const token = await gateway.asRole("admin", "root");
    const refused = await ask(gateway, "GET", "/v1/skills", { headers: { ...token, ...headers } });
    expect(await problemOf(refused)).toMatchObject({ code: "ORIGIN_REFUSED" });
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    // A foreign DNS name for this address is another host.
    const rebound = await ask(gateway, "GET", `${V2}/index.json`, { headers: { host: "evil.example" } });
    expect(await problemOf(rebound)).toMatchObject({ code: "ORIGIN_REFUSED" });
  });

  test("support HEAD and 304, and no other methods [S-48]", async () => {
    gateway = await openTestGateway({ options: { isDiscoverable: true } });
    await put(gateway, "plain", { visibility: "public" });
    for (const path of [`${V2}/index.json`, `${V2}/plain/SKILL.md`, `${V1}/plain/SKILL.md`]) {
      const head = await ask(gateway, "HEAD", path);
      expect([path, head.status, await head.text()]).toEqual([path, 200, ""]);
      expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
      const again = await ask(gateway, "GET", path, {
        headers: { "if-none-match": head.headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
      expect((await ask(gateway, "POST", path)).status).toBeGreaterThanOrEqual(404);
    }
  });

  test("serve no file outside a skill [S-48]", async () => {
    gateway = await openTestGateway({ options: { isDiscoverable: true } });
    await put(gateway, "plain", { visibility: "public" });
    await put(gateway, "own", { files: { "a.md": "secret" } });
    for (const path of [
      "plain/..%2fown%2fa.md",
      "plain/%2e%2e/own/a.md",
      "plain/..%5cown%5ca.md",
      "plain//SKILL.md",
      "plain/SKILL.md%00",
      "plain/skill.md",
      "plain/./SKILL.md/x",
      "..%2f..%2fv1%2fskills",
    ])
      expect([path, (await ask(gateway, "GET", `${V1}/${path}`)).status]).toEqual([path, 404]);
  });

  test("do not list skills in folders [S-48]", async () => {
    const text = "---\nname: local\ndescription: Local.\n---\nDo.\n";
    gateway = await openFolderGateway({ "local/SKILL.md": text }, { options: { isDiscoverable: true } });
    const listed = await ask(gateway, "GET", "/v1/skills", {
      headers: await gateway.asRole("viewer", "eve"),
    });
    expect(await listed.text()).toContain('"id":"local"');
    const index = await ask(gateway, "GET", `${V2}/index.json`);
    expect(Index.parse(await index.json()).skills).toEqual([]);
    expect((await ask(gateway, "GET", `${V2}/local/SKILL.md`)).status).toBe(404);
  });
});
