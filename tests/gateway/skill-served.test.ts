import { hash } from "node:crypto";
import { grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, put } from "./skill.fixture.ts";

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openTestGateway();
});
afterEach(() => gateway.close());

const served = async () =>
  (await gateway.registry.store.eventsAfter(0, 1000)).flatMap(({ event }) =>
    event.type === "skill.served" ? [event] : [],
  );
const digestOf = (bytes: Uint8Array) => `sha256:${hash("sha256", bytes, "hex")}`;

async function openHelper() {
  const headers = await gateway.asRole("agent", "ada", "helper");
  await grantSkill("own", { kind: "agent", key: "helper" }, { by: ada }, gateway.registry);
  return asker(gateway, headers);
}

test("records each read of an agent before the response [S-53]", async () => {
  const { treeHash, skillHash } = await put(gateway, "own", { files: { "a.md": "0123456789" } });
  const helper = await openHelper();
  await helper("GET", "/v1/skills/own");
  await helper("GET", "/v1/skills/own");
  const archive = new Uint8Array(await (await helper("GET", "/v1/skills/own/archive")).arrayBuffer());
  await helper("GET", "/v1/skills/own/files/a.md");
  await helper("GET", "/v1/skills/own/files/a.md", { headers: { range: "bytes=0-3" } });
  const by = { user: "ada", agent: "helper", role: "agent" };
  const about = { skill: "own", hash: treeHash, revision: 1, by };
  const text = { ...about, path: "SKILL.md", digest: skillHash };
  expect(await served()).toMatchObject([
    text,
    text,
    { ...about, digest: digestOf(archive), bytes: archive.length },
    { ...about, path: "a.md", digest: digestOf(Buffer.from("0123456789")), bytes: 10 },
    { ...about, path: "a.md", digest: digestOf(Buffer.from("0123")), bytes: 4 },
  ]);
});

test("records no response without content and no read of a person [S-53]", async () => {
  await put(gateway, "own", { files: { "a.md": "text" } });
  const helper = await openHelper();
  const owner = asker(gateway, await gateway.asRole("publisher", "ada"));
  for (const path of ["", "/files/a.md", "/archive"]) {
    const etag = (await owner("GET", `/v1/skills/own${path}`)).headers.get("etag") ?? "";
    expect((await helper("HEAD", `/v1/skills/own${path}`)).status).toBe(200);
    const own = (await helper("HEAD", `/v1/skills/own${path}`)).headers.get("etag") ?? etag;
    const again = await helper("GET", `/v1/skills/own${path}`, { headers: { "if-none-match": own } });
    expect([path, again.status]).toEqual([path, 304]);
  }
  await helper("GET", "/v1/skills/own/files");
  await helper("GET", "/v1/skills/own/files/nothing.md");
  expect(await served()).toEqual([]);
});

test("serves no content when the record fails [S-53]", async () => {
  await put(gateway, "own", { files: { "a.md": "A secret text." } });
  await gateway.close();
  const audit = { record: () => Promise.reject(new Error("The disk is full.")) };
  gateway = await openTestGateway({ audit });
  await put(gateway, "own", { files: { "a.md": "A secret text." }, body: "A secret text." });
  const helper = await openHelper();
  for (const path of ["", "/files/a.md", "/archive"]) {
    const response = await helper("GET", `/v1/skills/own${path}`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/secret|disk/);
  }
});

test("records both revisions of a diff, and none for an empty diff [S-53]", async () => {
  const first = await put(gateway, "own");
  const second = await put(gateway, "own", { files: { "plan.md": "A new plan.\n" } });
  const helper = await openHelper();
  const response = await helper("GET", "/v1/skills/own/diff?from=1&to=2");
  const etag = response.headers.get("etag") ?? "";
  const { files } = await answerOf("diffVersions", response);
  const bytes = files.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeGreaterThan("A new plan.".length);
  const by = { user: "ada", agent: "helper", role: "agent" };
  const both = [
    { skill: "own", hash: first.treeHash, digest: first.treeHash, revision: 1, bytes, by },
    { skill: "own", hash: second.treeHash, digest: second.treeHash, revision: 2, bytes, by },
  ];
  expect(await served()).toMatchObject(both);
  await helper("GET", "/v1/skills/own/diff?from=1&to=2", { headers: { "if-none-match": etag } });
  await helper("GET", "/v1/skills/own/diff?from=2&to=2");
  await asker(gateway, await gateway.asRole("publisher", "ada"))("GET", "/v1/skills/own/diff?from=1&to=2");
  expect(await served()).toHaveLength(2);
});

test("a search gives agents no text except descriptions [S-53]", async () => {
  await put(gateway, "own", { body: "Mention the walrus." });
  await put(gateway, "heron", { visibility: "public" });
  const helper = await openHelper();
  const person = asker(gateway, await gateway.asRole("publisher", "ada"));
  const snippets = async (who: typeof person, words: string) => {
    const { hits } = await answerOf("searchSkills", await who("GET", `/v1/skills/search?q=${words}`));
    return hits.map(({ snippet }) => snippet);
  };
  expect(await snippets(person, "walrus")).toEqual([expect.stringContaining("walrus")]);
  expect(await snippets(helper, "walrus")).toEqual([""]);
  expect(await snippets(helper, "heron")).toEqual([expect.stringContaining("Does heron")]);
});
