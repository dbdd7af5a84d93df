import { writeArchive } from "@skillhold/core/archive";
import { grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, put, send, skillText } from "./skill.fixture.ts";
import { openPort, TestSocket } from "./socket.fixture.ts";

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await openTestGateway();
});
afterEach(() => gateway.close());

/** An agent of ada that may use only granted skills and those in this list. */
async function openAgent(role: "admin" | "publisher" | "agent", allow: readonly string[] = []) {
  const headers = await gateway.asRole(role, "ada", "bot");
  const admin = asker(gateway, await gateway.asRole("admin", "root"));
  expect((await admin("PUT", "/v1/agents/bot", { body: { allow } })).status).toBe(200);
  return { headers, ask: asker(gateway, headers) };
}

describe("an admin token that is bound to an agent", () => {
  test("cannot be issued [S-28] [S-53]", async () => {
    await gateway.asRole("agent", "ada", "bot");
    const admin = asker(gateway, await gateway.asRole("admin", "root"));
    const body = { name: "bot", role: "admin", agent: "bot" };
    const problem = await problemOf(await admin("POST", "/v1/tokens", { body }));
    expect(problem).toMatchObject({ code: "CONFIG_INVALID", hint: expect.stringContaining("agent") });
  });

  test("that already exists has the agent role, not the admin role [S-28] [S-53]", async () => {
    await put(gateway, "own", {});
    const { ask } = await openAgent("admin");
    expect(await answerOf("whoAmI", await ask("GET", "/v1/me"))).toMatchObject({
      role: "agent",
      agent: "bot",
    });
    const refused: readonly (readonly [string, string, object?])[] = [
      ["PUT", "/v1/secrets/own/KEY", { value: "x" }],
      ["DELETE", "/v1/secrets/own/KEY"],
      ["GET", "/v1/secrets"],
      ["GET", "/v1/approvals"],
      ["DELETE", "/v1/approvals/kept/x"],
      ["GET", "/v1/audit"],
      ["GET", "/v1/tokens"],
      ["POST", "/v1/skills/install-deps", {}],
      ["POST", "/v1/skills/install-dep", { skill: "own", dep: "pip:x" }],
      ["POST", "/v1/skills/rescan-deps"],
      ["GET", "/v1/agents"],
      ["GET", "/v1/skills?user=root"],
      ["GET", "/v1/explain?user=ada&agent=other"],
    ];
    for (const [method, path, body] of refused) {
      const { code } = await problemOf(await ask(method, path, { body }));
      expect([method, path, code]).toEqual([method, path, "FORBIDDEN"]);
    }
    expect((await ask("GET", "/v1/skills/own/access")).status).toBe(404);
    expect((await ask("GET", "/v1/skills/own/metrics")).status).toBe(404);
    expect((await answerOf("explainAll", await ask("GET", "/v1/explain"))).explanations).toEqual([]);
    expect((await answerOf("listMetrics", await ask("GET", "/v1/metrics"))).skills).toEqual([]);
  });
});

describe("an agent whose user owns a skill that is hidden from it", () => {
  test.each(["admin", "publisher", "agent"] as const)(
    "receives no events of it with a token of the role %s [S-54]",
    async (role) => {
      await put(gateway, "hidden", {});
      const { headers } = await openAgent(role);
      await grantSkill("hidden", { kind: "user", key: "bob" }, { by: ada }, gateway.registry);
      const port = await openPort(gateway);
      const socket = await TestSocket.open(port, headers);
      await socket.subscribe({ after: 0 });
      await socket.close();
      await port.close();
      expect(JSON.stringify(socket.events)).not.toContain("hidden");
    },
  );

  test("receives redacted events of skills that it sees [S-54]", async () => {
    await put(gateway, "open", { visibility: "public" });
    const { headers } = await openAgent("publisher", ["open"]);
    const port = await openPort(gateway);
    const socket = await TestSocket.open(port, headers);
    await socket.subscribe({ after: 0 });
    await socket.close();
    await port.close();
    const published = socket.events.map(({ event }) => event).find(({ type }) => type === "skill.published");
    expect(published).toMatchObject({ skill: "open", by: { user: "someone" } });
  });

  test("sees no grants and cannot rescan dependencies [S-43] [S-53]", async () => {
    await put(gateway, "hidden", {});
    const { ask } = await openAgent("publisher");
    expect(await problemOf(await ask("GET", "/v1/skills/hidden/grants"))).toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
    expect(await problemOf(await ask("POST", "/v1/skills/rescan-deps"))).toMatchObject({ code: "FORBIDDEN" });
  });

  test("can neither replace it nor read it [S-43] [S-53]", async () => {
    await put(gateway, "hidden", { files: { "plan.md": "x" } });
    await put(gateway, "seen", { visibility: "public" });
    const { headers } = await openAgent("publisher", ["seen"]);
    const upload = async (id: string, query = "") => {
      const content = Buffer.from(skillText(id, "Other."));
      const bytes = await writeArchive("zip", [{ path: `${id}/SKILL.md`, executable: false, content }]);
      const response = await send(gateway, `/v1/skills/upload${query}`, bytes, headers);
      return (await answerOf("uploadSkills", response)).skills;
    };
    for (const query of ["?dryRun=true", ""]) {
      const [refused] = await upload("hidden", query);
      expect(refused).toMatchObject({
        status: "failed",
        error: { code: "CONFLICT", message: "The id hidden is taken." },
      });
      expect(JSON.stringify(refused)).not.toContain("plan.md");
    }
    expect((await gateway.registry.store.findSkill("hidden"))?.revision).toBe(1);
    expect(await upload("seen")).toMatchObject([{ status: "published", revision: 2 }]);
    expect(await upload("fresh")).toMatchObject([{ status: "published", revision: 1 }]);
  });
});
