import { env } from "node:process";
import { Role } from "@skillhold/protocol";
import { Problem, type Route, routeTable } from "@skillhold/protocol/http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FuzzedRequest, fuzzedRequest, readOperations } from "./fuzzed-request.fixture.ts";
import { HOST, openTestGateway, type TestGateway } from "./gateway.fixture.ts";
import { put } from "./skill.fixture.ts";

/** `npm run fuzz -- gateway <number> [<seed>]` runs more requests. */
const requests = Number(env["SKILLHOLD_FUZZ_REQUESTS"] ?? 1000);
const seed = Number(env["SKILLHOLD_FUZZ_SEED"] ?? env["PROPERTY_SEED"] ?? 1);
let gateway: TestGateway;
const failures = new Set<string>();
const tokens = new Map<string, Readonly<Record<string, string>>>();

beforeAll(async () => {
  gateway = await openTestGateway();
  for (const role of Role.options) tokens.set(role, await gateway.asRole(role, "ada"));
  for (const id of ["pdf", "notes"]) await put(gateway, id, { files: { "scripts/a.py": "print(1)\n" } });
  await put(gateway, "open", { visibility: "public" });
});
afterAll(() => gateway.close());

test(`no valid or mutated request of the OpenAPI document makes the gateway fail (seed ${seed}) [S-53]`, async () => {
  const response = await gateway.app.request(`http://${HOST}/openapi.json`, {
    headers: tokens.get("admin") ?? {},
  });
  const operations = readOperations(await response.json());
  expect(operations.length).toBe(Object.keys(routeTable).length);
  const seen = new Map<number, number>();
  failures.clear();
  await fc.assert(
    fc.asyncProperty(fuzzedRequest(operations), async (asked) => {
      const status = await send(asked);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }),
    { numRuns: requests, seed, endOnFailure: true },
  );
  // A campaign must also have requests that pass validation.
  expect(seen.get(200) ?? 0).toBeGreaterThan(requests / 20);
  expect([...failures]).toEqual([]);
}, 600_000);

/** The answer is in its schema, or it is a problem with its code. */
async function send({ operation, method, path, role, headers, body }: FuzzedRequest): Promise<number> {
  const response = await gateway.app.request(`http://${HOST}${path}`, {
    method,
    headers: { host: HOST, ...(tokens.get(role) ?? {}), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const type = response.headers.get("content-type") ?? "";
  if (response.status >= 400) {
    const problem = Problem.parse(await response.json());
    expect([type, problem.status, path]).toEqual(["application/problem+json", response.status, path]);
    // This gateway has no sandbox, and reports that.
    if (problem.status >= 500 && problem.code !== "SANDBOX_UNAVAILABLE")
      failures.add(`${problem.code}: ${method} ${path} ${String(body).slice(0, 200)}`);
  } else if (type === "application/json") {
    const { answer }: Route = routeTable[operation];
    if (typeof answer !== "string") answer.parse(await response.json());
  } else await response.arrayBuffer();
  return response.status;
}
