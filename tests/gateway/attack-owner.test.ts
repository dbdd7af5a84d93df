import { randomUUID } from "node:crypto";
import type { Role } from "@skillhold/protocol";
import { type Operation, type Route, type RouteTable, routeTable } from "@skillhold/protocol/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { offlineReport } from "../eval-report.fixture.ts";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let uid: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  ({ uid } = await putSkill(gateway, "zebra", "ann"));
  await putSkill(gateway, "open", "ann", "public");
});
afterAll(() => gateway.close());

/** The bodies for routes that name a skill, except administrator routes. A missing route does not compile. */
const sent: { readonly [O in OfSkill]: { readonly body?: object; readonly query?: string } } = {
  getSkill: {},
  updateSkill: { body: { description: "mine" } },
  deleteSkill: {},
  restoreSkill: {},
  toggleSkill: { body: { enabled: false } },
  setStatus: { body: { status: "archived" } },
  listFiles: {},
  readFile: {},
  listVersions: {},
  diffVersions: { query: "?from=1&to=1" },
  rollbackSkill: { body: { revision: 1 } },
  downloadSkill: {},
  listGrants: {},
  getGrant: {},
  putGrant: { body: {} },
  deleteGrant: {},
  answerGrant: { body: { accept: true } },
  listApprovers: {},
  explainAccess: {},
  getMetrics: {},
  getDependencies: {},
  getGuardReport: {},
  diffCapabilities: {},
  listEvals: {},
  getEval: {},
  addEval: { body: offlineReport("zebra") },
  scoreTriggers: {},
};
type OfSkill = {
  [O in Operation]: RouteTable[O] extends { readonly path: `${string}{id}${string}`; readonly roles: infer R }
    ? R extends readonly ["admin"]
      ? never
      : O
    : never;
}[Operation];

const asSomeone: readonly (readonly [Role, string, string | undefined])[] = [
  ["publisher", "eve", undefined],
  ["viewer", "eve", undefined],
  ["agent", "eve", "spy"],
  // An agent with the name of a user is not that user.
  ["agent", "eve", "ann"],
];

describe.each(Object.entries(sent))("%s", (operation, { body, query = "" }) => {
  // The keys are operations, as the type says.
  const row: Route = routeTable[operation as OfSkill];
  test.each(asSomeone.filter(([role]) => row.roles === "anyone" || row.roles.includes(role)))(
    "gives the same response for a hidden skill and a missing one, to a %s [S-43] [S-53]",
    async (role, user, agent) => {
      const headers = await gateway.asRole(role, user, agent);
      const wordsFor = async (key: string) => {
        const path = row.path
          .replace("{id}", key)
          .replace("{path}", "SKILL.md")
          .replace("{kind}", "user")
          .replace("{key}", "eve")
          .replace("{name}", "API_KEY")
          .replace("{report}", "none");
        const response = await ask(gateway, row.method, `${path}${query}`, {
          headers,
          ...(body && { body }),
        });
        const told = [...response.headers].filter(([name]) => name !== "x-request-id");
        const problem = await problemOf(response);
        // A gateway without a dependency check returns the same error for all skills.
        const codes: Readonly<Record<string, string>> = {
          getDependencies: "NOT_READY",
          answerGrant: "AGENT_NOT_FOUND",
        };
        expect(problem.code).toBe(codes[operation] ?? "SKILL_NOT_FOUND");
        return JSON.stringify([told, problem]).replaceAll(key, "KEY");
      };
      expect(await wordsFor("zebra")).toBe(await wordsFor("gone"));
      expect(await wordsFor(uid)).toBe(await wordsFor(randomUUID()));
      expect(await wordsFor(uid)).not.toContain("zebra");
    },
  );
});

test("lists, searches, catalogues, exports and explanations contain no hidden skills [S-43] [S-53]", async () => {
  for (const [role, user, agent] of asSomeone) {
    const headers = await gateway.asRole(role, user, agent);
    for (const path of [
      "/v1/skills",
      "/v1/skills?view=all",
      "/v1/skills?view=deleted",
      "/v1/skills/search?q=zebra",
      "/v1/catalogue?task=zebra",
      "/v1/explain",
      "/v1/metrics",
      "/metrics",
      "/v1/export",
    ]) {
      const text = await (await ask(gateway, "GET", path, { headers })).text();
      expect([path, text.includes("zebra") || text.includes(uid)]).toEqual([path, false]);
    }
  }
});

test("request data cannot raise the caller's rights [S-53]", async () => {
  const eve = await gateway.asRole("publisher", "eve");
  const claims: Headers = {
    "x-user": "root",
    "x-role": "admin",
    "x-forwarded-user": "root",
    "x-remote-user": "root",
    "x-agent": "spy",
    cookie: "role=admin; user=root",
  };
  const me = await answerOf(
    "whoAmI",
    await ask(gateway, "GET", "/v1/me", { headers: { ...eve, ...claims } }),
  );
  expect(me).toMatchObject({ user: "eve", role: "publisher" });
  expect(me).not.toHaveProperty("agent");
  for (const body of [
    { name: "x", role: "admin" },
    { name: "x", role: "publisher", user: "ann" },
  ])
    expect(await problemOf(await ask(gateway, "POST", "/v1/tokens", { headers: eve, body }))).toMatchObject({
      code: "FORBIDDEN",
    });
  for (const body of [
    { owner: "eve" },
    { uid: "x" },
    { isSystem: true },
    { trust: "builtin" },
    { source: "builtin" },
  ])
    expect(
      await problemOf(await ask(gateway, "PUT", "/v1/skills/open", { headers: eve, body })),
    ).toMatchObject({
      code: "USAGE",
    });
  expect((await gateway.registry.store.findSkill("open"))?.owner).toBe("ann");
});

test("a public skill of another owner can be read and not changed [S-43] [S-53]", async () => {
  const eve = await gateway.asRole("publisher", "eve");
  for (const [method, path, body] of [
    ["PUT", "/v1/skills/open", { description: "mine" }],
    ["DELETE", "/v1/skills/open"],
    ["POST", "/v1/skills/open/toggle", { enabled: false }],
    ["POST", "/v1/skills/open/status", { status: "archived" }],
    ["POST", "/v1/skills/open/rollback", { revision: 1 }],
    ["PUT", "/v1/skills/open/grants/user/eve", { canManage: true }],
    ["DELETE", "/v1/skills/open/grants/user/ann"],
  ] as const) {
    const response = await ask(gateway, method, path, { headers: eve, ...(body && { body }) });
    expect([path, response.status]).toEqual([
      path,
      expect.toSatisfy((status) => [403, 404].includes(status)),
    ]);
  }
  expect(await gateway.registry.store.findSkill("open")).toMatchObject({ status: "active", isEnabled: true });
});

test("a session exists only for its token [S-53]", async () => {
  const ann = await gateway.asRole("viewer", "ann");
  const opened = await ask(gateway, "POST", "/v1/sessions", { headers: ann, body: {} });
  const { session } = await answerOf("openSession", opened);
  for (const headers of [
    await gateway.asRole("viewer", "eve"),
    await gateway.asRole("admin", "root"),
    // The same person with another token.
    await gateway.asRole("publisher", "ann"),
  ])
    for (const [method, path, body] of [
      ["GET", `/v1/sessions/${session}/tools`],
      ["POST", `/v1/sessions/${session}/tools/list_skills`, {}],
      ["DELETE", `/v1/sessions/${session}`],
    ] as const) {
      const wordsFor = async (address: string) =>
        JSON.stringify(
          await problemOf(await ask(gateway, method, address, { headers, ...(body && { body }) })),
        );
      const other = randomUUID();
      const words = await wordsFor(path);
      expect(words).toContain("SESSION_NOT_FOUND");
      expect(words.replaceAll(session, "KEY")).toBe(
        (await wordsFor(path.replace(session, other))).replaceAll(other, "KEY"),
      );
    }
  expect((await ask(gateway, "GET", `/v1/sessions/${session}/tools`, { headers: ann })).status).toBe(200);
});
