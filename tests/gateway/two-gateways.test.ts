import { join } from "node:path";
import { routeTable } from "@skillhold/protocol/http";
import { afterEach, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import {
  get,
  listIds,
  type RunningGateway,
  ServeScene,
  tokenOf,
  upload,
  writeSkill,
} from "./serve.fixture.ts";
import { TestSocket } from "./socket.fixture.ts";

let scene = new ServeScene();
afterEach(async () => {
  await scene.close();
  scene = new ServeScene();
});

type Headers = Awaited<ReturnType<typeof tokenOf>>;

async function openSocket({ url }: RunningGateway, { authorization }: Headers): Promise<TestSocket> {
  const { port, host } = new URL(url);
  const socket = await TestSocket.connect({ port: Number(port) }, { host });
  await socket.ask("hello", { token: authorization.replace("Bearer ", "") });
  await socket.subscribe();
  return socket;
}

/** Gateways on one database sign its log with the same key, or trust each other's. */
async function sharedEnv(): Promise<Record<string, string>> {
  return { SKILLHOLD_STORE: await freshDatabase(), SKILLHOLD_AUDIT_KEY: join(scene.folder(), "audit.key") };
}

test("two gateways with their own keys verify one log after one trusts the other [S-62]", async () => {
  const SKILLHOLD_STORE = await freshDatabase();
  const [one, two] = [scene.folder(), scene.folder()];
  const run = async (data: string, ...args: readonly string[]) => {
    const command = scene.start([...args, "--json"], { SKILLHOLD_STORE, SKILLHOLD_DATA: data });
    const { code } = await command.ended;
    return { code, ...JSON.parse(command.out) };
  };
  const a = await scene.serve(["--no-seed"], { data: one, env: { SKILLHOLD_STORE } });
  const headers = await tokenOf(a);
  const refused = scene.start(["serve", "--port", "0", "--no-seed", "--data", two], { SKILLHOLD_STORE });
  expect((await refused.ended).code).toBe(2);
  const [key = ""] = /ed25519:\S+=/.exec(refused.err) ?? [];
  expect(await run(one, "audit", "trust", key)).toMatchObject({ code: 0 });
  const b = await scene.serve(["--no-seed"], { data: two, env: { SKILLHOLD_STORE } });
  for (const [index, { url }] of [a, b, a, b].entries())
    expect(await upload(url, `skill-${index}`, headers)).toMatchObject([{ status: "published" }]);
  for (const data of [one, two])
    expect(await run(data, "audit", "verify")).toMatchObject({
      code: 0,
      data: { isSound: true, isSigned: true },
    });
});

test("two gateways on one database share lists, tokens, events and toggles [S-54] [S-55]", async () => {
  const env = await sharedEnv();
  const a = await scene.serve(["--no-seed"], { env });
  const b = await scene.serve(["--no-seed"], { env });
  const headers = await tokenOf(a);
  expect(await listIds(b.url, headers)).toEqual([]);
  const socket = await openSocket(b, headers);

  expect(await upload(a.url, "shared", headers)).toMatchObject([{ id: "shared", status: "published" }]);
  // PostgreSQL notifies the other gateway with a delay.
  await expect.poll(() => listIds(b.url, headers)).toEqual(["shared"]);
  const catalogue = async () => (await get(`${b.url}/v1/catalogue`, routeTable.getCatalogue, headers)).text;
  await expect.poll(catalogue).toContain("shared");
  const published = await socket.find((message) =>
    "event" in message && message.event.type === "skill.published" ? message.event : undefined,
  );
  expect(published).toMatchObject({ skill: "shared", revision: 1 });
  await socket.find((message) => ("changed" in message ? message : undefined));

  const toggle = (isEnabled: boolean) =>
    fetch(`${b.url}/v1/skills/shared/toggle`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ enabled: isEnabled }),
    });
  expect((await toggle(false)).status).toBe(200);
  const inUse = async () =>
    (await get(`${a.url}/v1/skills?view=visible`, routeTable.listSkills, headers)).skills.map(
      ({ entry }) => entry.id,
    );
  await expect.poll(inUse).toEqual([]);
  expect((await toggle(true)).status).toBe(200);
  await expect.poll(inUse).toEqual(["shared"]);

  const { token } = await get(`${a.url}/v1/me`, routeTable.whoAmI, headers);
  const revoked = await fetch(`${a.url}/v1/tokens/${token}`, { method: "DELETE", headers });
  expect(revoked.status).toBe(200);
  await socket.closed;
  expect((await fetch(`${b.url}/v1/me`, { headers })).status).toBe(401);
});

test("both gateways publish missing dependencies of a skill that one of them gets [S-39] [S-54]", async () => {
  const env = await sharedEnv();
  const a = await scene.serve(["--no-seed"], { env });
  const b = await scene.serve(["--no-seed"], { env });
  const headers = await tokenOf(a);
  const sockets = [await openSocket(a, headers), await openSocket(b, headers)];
  const needy = writeSkill(scene.folder(), "needy", { "scripts/a.mjs": 'import x from "zzz-missing";\n' });
  const published = scene.start(["publish", needy], { ...env, SKILLHOLD_DATA: scene.folder() });
  expect((await published.ended).code, published.err).toBe(0);
  for (const socket of sockets) {
    await socket.find((message) =>
      "progress" in message && message.progress.type === "skill.deps.checked" ? message : undefined,
    );
    const told = socket.messages.flatMap((message) => ("progress" in message ? [message.progress] : []));
    expect(told).toEqual([
      { type: "skill.deps.checking", slug: "needy" },
      { type: "skill.deps.checked", slug: "needy", ok: false, missing: ["npm:zzz-missing"] },
    ]);
  }
  for (const { url } of [a, b]) {
    const skill = await get(`${url}/v1/skills?view=all`, routeTable.listSkills, headers);
    expect(skill.skills[0]?.registry).toMatchObject({ status: "active", missing: ["npm:zzz-missing"] });
  }
});
