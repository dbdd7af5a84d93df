import { openGateway } from "@skillhold/gateway";
import { pathPattern } from "@skillhold/gateway/test/app";
import { pageTable } from "@skillhold/gateway/test/page/page-table";
import { Role } from "@skillhold/protocol";
import { Problem, type Route, routeTable } from "@skillhold/protocol/http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, HOST, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

const rows: readonly (readonly [string, Route])[] = Object.entries(routeTable);
const filled: Readonly<Record<string, string>> = {
  token: "00000000-0000-4000-8000-000000000000",
  kind: "user",
  path: "SKILL.md",
};
const addressOf = ({ path }: Route) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? "none");

/** A query that every route rejects, so that an admitted request changes no data. */
async function tryRoute(row: Route, headers: Readonly<Record<string, string>>): Promise<Response> {
  const body = row.method === "GET" ? {} : { body: [] };
  return await ask(gateway, row.method, `${addressOf(row)}?no-such-thing=1`, { headers, ...body });
}

async function refusalOf(response: Response): Promise<readonly [number, string | undefined]> {
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return [response.status, isProblem ? Problem.parse(await response.json()).code : undefined];
}

describe.each(rows)("%s", (_operation, row) => {
  test("rejects requests without a token, unless it is open to anyone [S-53]", async () => {
    const strangers = [
      {},
      { authorization: "Bearer" },
      { authorization: "Bearer skh_" },
      { authorization: `Bearer skh_${"A".repeat(43)}` },
      { authorization: "Basic YWRtaW46YWRtaW4=" },
      { cookie: `skillhold-7878=skh_${"A".repeat(43)}` },
    ];
    for (const headers of strangers) {
      const [status, code] = await refusalOf(await tryRoute(row, headers));
      if (row.roles === "anyone") expect(status).not.toBe(401);
      else expect([status, code]).toEqual([401, "UNAUTHENTICATED"]);
    }
  });

  test.each(Role.options)(
    "admits the role %s exactly when the route table allows it [S-53]",
    async (role) => {
      const [status, code] = await refusalOf(await tryRoute(row, await gateway.asRole(role)));
      expect(status).not.toBe(401);
      const isLetIn = row.roles === "anyone" || row.roles.includes(role);
      // The query is checked after the role, and rejected.
      expect([status, code]).toEqual(isLetIn ? [400, "USAGE"] : [403, "FORBIDDEN"]);
    },
  );

  test("rejects other hosts and pages of other origins [S-53]", async () => {
    const admin = await gateway.asRole("admin");
    const foreign = [
      { host: "evil.test:7878" },
      { host: "gateway.test" },
      { host: "gateway.test:7879" },
      { host: `${HOST}.evil.test` },
      { host: "" },
      { origin: "http://evil.test" },
      { origin: "https://gateway.test:7878" },
      { origin: "http://gateway.test:7879" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "anything else" },
    ];
    for (const headers of foreign) {
      const response = await tryRoute(row, { ...admin, ...headers });
      expect([headers, ...(await refusalOf(response))]).toEqual([headers, 403, "ORIGIN_REFUSED"]);
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });
});

test("every route of the application is in the route table, the page table or a mount [S-53]", async () => {
  const mount = { path: "/mcp", roles: Role.options, handle: async () => new Response() } as const;
  const mounted = openGateway({ ...gateway.context, mounts: [mount] });
  try {
    const known = new Set([
      ...rows.map(([, { method, path }]) => `${method} ${pathPattern(path)}`),
      ...pageTable.map(({ path }) => `GET ${path}`),
      "ALL /mcp",
      "ALL /mcp/*",
    ]);
    const served = mounted.app.routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(served)).toEqual(known);
    expect(served).toHaveLength(known.size);
  } finally {
    await mounted.close();
  }
});

test("no two rows are the same route, and none shadows another [S-53]", async () => {
  const shapes = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  expect(new Set(shapes).size).toBe(shapes.length);
});

test("a mount is only for its roles [S-53]", async () => {
  const mount = {
    path: "/mcp",
    roles: ["agent"],
    handle: async () => new Response("in"),
  } as const;
  const mounted = openGateway({ ...gateway.context, mounts: [mount] });
  try {
    const statuses = await Promise.all(
      ["/mcp", "/mcp/deeper"].flatMap((path) => [
        ask(mounted, "POST", path),
        gateway.asRole("admin").then((headers) => ask(mounted, "POST", path, { headers })),
        gateway.asRole("agent").then((headers) => ask(mounted, "POST", path, { headers })),
      ]),
    );
    expect(statuses.map(({ status }) => status)).toEqual([401, 403, 200, 401, 403, 200]);
    const foreign = { ...(await gateway.asRole("agent")), host: "evil.test" };
    expect((await ask(mounted, "GET", "/mcp", { headers: foreign })).status).toBe(403);
  } finally {
    await mounted.close();
  }
});

test("an unknown path and an unsupported method give a problem [S-53]", async () => {
  expect(await refusalOf(await ask(gateway, "GET", "/v1/nothing"))).toEqual([404, "ROUTE_NOT_FOUND"]);
  const wrong = await ask(gateway, "PATCH", "/v1/skills/pdf");
  expect(wrong.headers.get("allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "PUT"]);
  expect(await refusalOf(wrong)).toEqual([405, "METHOD_NOT_ALLOWED"]);
  const page = await ask(gateway, "POST", "/sign-in");
  expect([page.status, page.headers.get("allow")]).toEqual([405, "GET"]);
  const foreign = { host: "evil.test" };
  expect(await refusalOf(await ask(gateway, "GET", "/v1/nothing", { headers: foreign }))).toEqual([
    403,
    "ORIGIN_REFUSED",
  ]);
});
