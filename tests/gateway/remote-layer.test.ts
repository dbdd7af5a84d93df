import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type IndexedLibrary, openLayeredLibrary, openMemoryLibrary } from "@skillhold/core/library";
import { skill } from "@skillhold/core/test/library/library.contract";
import { openSkillhold } from "@skillhold/host";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { anyone, freshFolder, host, openRemote, type ServedGateway, serveGateway } from "./remote.fixture.ts";
import { listIds, ServeScene, tokenOf } from "./serve.fixture.ts";
import { put } from "./skill.fixture.ts";

let served: ServedGateway;
beforeEach(async () => {
  served = await serveGateway();
  await put(served.gateway, "pdf", {
    visibility: "public",
    body: "From the gateway.",
    files: { "references/forms.md": "# Forms\n" },
  });
  await put(served.gateway, "xlsx", { visibility: "public" });
});
afterEach(() => served.close());

const root = { user: "root", role: "admin" } as const;

/** A library of one local skill above the gateway's. */
async function openLayers(token: string, limits: Readonly<Record<string, number>> = {}) {
  const local = openMemoryLibrary([skill("pdf", "description: Local.", "Local text.\n")], { host });
  const remote = await openRemote(served.url, token, { isOptional: true, limits });
  const library = openLayeredLibrary([local, remote]);
  onTestFinished(() => library.close());
  return { library, remote };
}

async function idsIn(library: IndexedLibrary): Promise<readonly string[]> {
  return (await library.list(anyone)).map(({ id }) => id);
}

test("local skills win over skills of a gateway, which the explanation lists as shadowed [S-15] [S-68]", async () => {
  const { library } = await openLayers(await served.tokenOf("viewer", "bob"));
  expect(await idsIn(library)).toEqual(["pdf", "xlsx"]);
  expect((await library.read(anyone, "pdf")).body).toBe("Local text.\n");
  expect((await library.read(anyone, "xlsx")).body).toBe("Do it.\n");
  expect(await library.explain(anyone, "pdf")).toMatchObject([
    { state: "visible" },
    { state: "shadowed", source: `gateway:127.0.0.1:${served.port}` },
  ]);
});

test("a gateway that stops takes away only its own skills, and they return with it [S-68]", async () => {
  const { library, remote } = await openLayers(await served.tokenOf("viewer", "bob"), { remotePollMs: 100 });
  expect(await idsIn(library)).toEqual(["pdf", "xlsx"]);
  await served.leave();
  expect(await idsIn(library)).toEqual(["pdf"]);
  expect(remote.problem).toMatchObject({ code: "REMOTE_FAILED" });
  await expect(library.read(anyone, "xlsx")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  const back = new Promise<void>((resolve) => {
    library.onChange(({ added }) => {
      if (added.includes("xlsx")) resolve();
    });
  });
  await served.comeBack();
  await back;
  expect(await idsIn(library)).toEqual(["pdf", "xlsx"]);
  expect(remote.problem).toBeUndefined();
});

test("a layer with a revoked token has no skills [S-53]", async () => {
  const { registry } = served.gateway;
  const { token, secret } = await issueToken(
    { name: "x", role: "viewer", user: "bob" },
    { by: root },
    registry,
  );
  const { library, remote } = await openLayers(secret);
  expect(await idsIn(library)).toEqual(["pdf", "xlsx"]);
  await revokeToken(token.id, { by: root }, registry);
  expect(await idsIn(library)).toEqual(["pdf"]);
  expect(remote.problem).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("openSkillhold layers a gateway with folders and serves both again [S-53] [S-68]", async () => {
  const folder = await freshFolder();
  await mkdir(join(folder, "skills/local"), { recursive: true });
  await writeFile(
    join(folder, "skills/local/SKILL.md"),
    "---\nname: local\ndescription: Here.\n---\nLocal.\n",
  );
  const token = await served.tokenOf("viewer", "bob");
  const skills = await openSkillhold({
    runtime: "test",
    roots: [join(folder, "skills")],
    gateways: [{ url: served.url, token, label: "upstream" }],
    data: join(folder, "data"),
    env: { PATH: process.env["PATH"] },
  });
  onTestFinished(() => skills.close());
  expect((await skills.list()).map(({ id }) => id)).toEqual(["local", "pdf", "xlsx"]);
  const gateway = await skills.serve({ port: 0, seed: false });
  const { registry } = gateway.parts.context;
  const { secret } = await issueToken({ name: "agent", role: "viewer", user: "ann" }, { by: root }, registry);
  const again = await openRemote(gateway.url, secret);
  expect((await again.list(anyone)).map(({ id, source }) => [id, source])).toEqual([
    ["local", `gateway:${new URL(gateway.url).host}`],
    ["pdf", `gateway:${new URL(gateway.url).host}`],
    ["xlsx", `gateway:${new URL(gateway.url).host}`],
  ]);
  expect((await again.read(anyone, "pdf")).body).toBe("From the gateway.\n");
  expect((await again.resource(anyone, "pdf", "references/forms.md")).content).toBe("# Forms\n");
  expect((await again.search(anyone, "pdf"))[0]?.entry.id).toBe("pdf");
  const target = await freshFolder();
  await again.copy(anyone, "pdf", target);
  const answer = await fetch(`${gateway.url}/v1/skills/pdf`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { entry: { source: "gateway:upstream", trust: "third_party" } },
  ]);
});

test("serve --upstream adds the skills of the token, and rejects a gateway without a login [S-53] [S-68]", async () => {
  const scene = new ServeScene();
  onTestFinished(() => scene.close());
  const token = await served.tokenOf("viewer", "bob");
  const there = await scene.serve(["--no-seed", "--upstream", served.url], {
    env: { SKILLHOLD_TOKEN: token },
  });
  expect(await listIds(there.url, await tokenOf(there))).toEqual(["pdf", "xlsx"]);
  const refused = scene.start(["serve", "--port", "0", "--no-seed", "--upstream", served.url, "--json"]);
  expect(JSON.parse(await refused.line())).toMatchObject({ ok: false, error: { code: "UNAUTHENTICATED" } });
});
