import { memorySecrets } from "@skillhold/core/secret";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

const secrets = memorySecrets();
const VALUE = "hunter2-hunter2";
let gateway: TestGateway;
let admin: Readonly<Record<string, string>>;
let log: unknown[];
beforeEach(async () => {
  log = [];
  gateway = await openTestGateway({ secrets, log: (entry) => void log.push(entry) });
  admin = await gateway.asRole("admin", "root");
});
afterEach(() => gateway.close());

const put = (path: string, value: unknown = VALUE) =>
  ask(gateway, "PUT", `/v1/secrets/${path}`, { headers: admin, body: { value } });

test("sets, lists and deletes a secret without disclosing its value [S-53]", async () => {
  const { uid } = await putSkill(gateway, "pdf", "ann");
  expect((await put("pdf/API_KEY")).status).toBe(204);
  expect((await put(`${uid}/API_KEY?agent=helper`)).status).toBe(204);
  expect(await secrets.open({ skill: "pdf", agent: "helper" }, ["API_KEY"])).toEqual(
    new Map([["API_KEY", VALUE]]),
  );
  const response = await ask(gateway, "GET", "/v1/secrets", { headers: admin });
  const listed = await answerOf("listSecrets", response);
  expect(listed.secrets).toMatchObject([
    { skill: "pdf", name: "API_KEY" },
    { skill: "pdf", name: "API_KEY", agent: "helper" },
  ]);
  expect(JSON.stringify(listed)).not.toContain(VALUE);
  const forget = (path: string) => ask(gateway, "DELETE", `/v1/secrets/${path}`, { headers: admin });
  for (const path of ["pdf/API_KEY", `${uid}/API_KEY?agent=helper`]) {
    expect(await answerOf("deleteSecret", await forget(path))).toEqual({ wasThere: true });
    expect(await answerOf("deleteSecret", await forget(path))).toEqual({ wasThere: false });
  }
});

test("rejects an invalid name or value without repeating the value [S-53]", async () => {
  const refused = [
    await put("pdf/PATH"),
    await put("pdf/LD_PRELOAD"),
    await put("pdf/1X"),
    await put("pdf/API_KEY", `${VALUE}\0`),
    await put("pdf/API_KEY", [VALUE]),
    await put("pdf/API_KEY?agent=", VALUE),
    await ask(gateway, "PUT", "/v1/secrets/pdf/API_KEY", {
      headers: admin,
      body: { value: VALUE, [VALUE]: VALUE },
    }),
  ];
  for (const response of refused) expect(await problemOf(response)).toMatchObject({ code: "USAGE" });
  expect(JSON.stringify(log)).not.toContain(VALUE);
  expect(await secrets.list()).toEqual([]);
});

test("a gateway without a secret store returns NOT_READY [S-53]", async () => {
  const none = await openTestGateway();
  try {
    const headers = await none.asRole("admin");
    for (const [method, path, body] of [
      ["GET", "/v1/secrets"],
      ["PUT", "/v1/secrets/pdf/API_KEY", { value: VALUE }],
      ["DELETE", "/v1/secrets/pdf/API_KEY"],
    ] as const)
      expect(await problemOf(await ask(none, method, path, { headers, body }))).toMatchObject({
        code: "NOT_READY",
      });
  } finally {
    await none.close();
  }
});

test("records who sets and deletes a secret, without its value [S-62]", async () => {
  await putSkill(gateway, "pdf", "ann");
  const events = async () =>
    (await gateway.registry.store.eventsAfter(0, 100))
      .map(({ event }) => event)
      .filter(({ type }) => type.startsWith("secret."));
  const remove = (path: string) => ask(gateway, "DELETE", `/v1/secrets/${path}`, { headers: admin });
  await put("pdf/API_KEY?agent=helper");
  await put("pdf/PATH");
  await remove("pdf/API_KEY?agent=helper");
  await remove("pdf/API_KEY?agent=helper");
  const about = { by: { user: "root", role: "admin" }, skill: "pdf", name: "API_KEY", agent: "helper" };
  expect(await events()).toMatchObject([
    { type: "secret.set", ...about },
    { type: "secret.removed", ...about },
  ]);
  expect(JSON.stringify(await events())).not.toContain(VALUE);
});

test("does not set a secret when the record fails [S-62]", async () => {
  const audit = { record: () => Promise.reject(new Error("The disk is full.")) };
  const kept = memorySecrets();
  const broken = await openTestGateway({ secrets: kept, audit });
  try {
    const headers = await broken.asRole("admin");
    const body = { value: VALUE };
    const response = await ask(broken, "PUT", "/v1/secrets/pdf/API_KEY", { headers, body });
    expect(response.status).toBe(500);
    expect(await kept.list()).toEqual([]);
  } finally {
    await broken.close();
  }
});
