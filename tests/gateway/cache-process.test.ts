import { join } from "node:path";
import { grantSkill, revokeSkill } from "@skillhold/registry/access";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { deleteSkill, editSkill } from "@skillhold/registry/release";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HOST, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, put } from "./skill.fixture.ts";

let gateway: TestGateway;
/** The same database file, opened by another process. */
let other: RegistryStore;
let beside: RegistryContext;
let eve: ReturnType<typeof asker>;
beforeEach(async () => {
  gateway = await openTestGateway();
  other = await openRegistryStore(`sqlite:${join(gateway.folder, "registry.db")}`);
  beside = { ...gateway.registry, store: other };
  eve = asker(gateway, await gateway.asRole("viewer", "eve"));
});
afterEach(async () => {
  await other.close();
  await gateway.close();
});

const root = { user: "root", role: "admin" } as const;
const paths = [
  "/v1/skills",
  "/v1/skills/search?q=things",
  "/v1/catalogue",
  "/v1/skills/open",
  "/v1/skills/open/files/a.md",
] as const;

const release = (words: string) =>
  put({ registry: beside, folder: gateway.folder }, "open", {
    visibility: "public",
    body: words,
    files: { "a.md": words },
  });

test("every later response contains the commits of another process [S-55]", async () => {
  for (let round = 0; round < 5; round += 1) {
    await release(`round${round}`);
    const texts = await Promise.all(
      [...paths, ...paths].map(async (path) => await (await eve("GET", path)).text()),
    );
    // The text and the file are from this round, and all ten responses contain the skill.
    for (const at of [3, 4, 8, 9]) expect(texts[at]).toContain(`round${round}`);
    for (const text of texts.filter((_, at) => at % paths.length < 3)) expect(text).toContain("open");
  }
});

test("a revocation by another process applies to every later request [S-55]", async () => {
  const look = async () =>
    await Promise.all(
      paths.map(async (path) => {
        const response = await eve("GET", path);
        return [response.status, response.ok && (await response.text()).includes("open")];
      }),
    );
  await release("open");
  const shown = paths.map(() => [200, true]);
  expect([await look(), await look()]).toEqual([shown, shown]);
  await editSkill("open", { visibility: "private" }, { by: ada }, beside);
  const hidden = [...paths.slice(0, 3).map(() => [200, false]), [404, false], [404, false]];
  expect(await look()).toEqual(hidden);
  await editSkill("open", { visibility: "public" }, { by: ada }, beside);
  expect(await look()).toEqual(shown);
  await deleteSkill("open", { by: ada }, beside);
  expect(await look()).toEqual(hidden);
});

test("a token that another process revokes is invalid for every later request [S-54]", async () => {
  const spec = { kind: "api", name: "eve", role: "viewer", user: "eve" } as const;
  const { secret, token } = await issueToken(spec, { by: root }, beside);
  const ask = asker(gateway, { host: HOST, authorization: `Bearer ${secret}` });
  const statuses = async () =>
    await Promise.all(Array.from({ length: 5 }, async () => (await ask("GET", "/v1/skills")).status));
  expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  await revokeToken(token.id, { by: root }, beside);
  expect(await statuses()).toEqual([401, 401, 401, 401, 401]);
});

test("a cached file is served only to callers who may read it [S-53] [S-55]", async () => {
  await put(gateway, "own", { files: { "a.md": "secret words" } });
  const owner = asker(gateway, await gateway.asRole("publisher", "ada"));
  const status = async (ask: typeof owner) => (await ask("GET", "/v1/skills/own/files/a.md")).status;
  for (let round = 0; round < 2; round += 1) {
    expect([await status(owner), await status(owner), await status(eve)]).toEqual([200, 200, 404]);
    await grantSkill("own", { kind: "user", key: "eve" }, { by: ada }, beside);
    expect([await status(owner), await status(eve)]).toEqual([200, 200]);
    await revokeSkill("own", { kind: "user", key: "eve" }, { by: ada }, beside);
  }
});
