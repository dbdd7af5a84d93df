import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callSkillTool, openSession, skillTools, systemPorts } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import { grantSkill, toggleSkill } from "@skillhold/registry/access";
import { openRemoteLibrary } from "@skillhold/registry/remote";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  anyone,
  freshFolder,
  host,
  openRemote,
  type ServedGateway,
  serveGateway,
  standBetween,
} from "./remote.fixture.ts";
import { ada, put } from "./skill.fixture.ts";

let served: ServedGateway;
beforeAll(async () => {
  served = await serveGateway();
  const { gateway } = served;
  await put(gateway, "pdf", {
    visibility: "public",
    files: { "scripts/fill.py*": "print('fill')\n", "references/forms.md": "# Forms\nFill in a form.\n" },
  });
  await put(gateway, "secret-plan", { body: "Nobody else." });
  await put(gateway, "mail", { visibility: "public", fields: "runtime: hermes\n" });
});
afterAll(() => served.close());

const root = { user: "root", role: "admin" } as const;

async function servedEvents(): Promise<readonly Extract<SkillEvent, { type: "skill.served" }>[]> {
  const events = await served.gateway.registry.store.listEvents({ after: 0, limit: 10_000, order: "oldest" });
  return events.flatMap(({ event }) => (event.type === "skill.served" ? [event] : []));
}

test("a remote agent uses only its granted skills [S-43] [S-53]", async () => {
  const { gateway } = served;
  const token = await served.tokenOf("agent", "eve", "eves-agent");
  const library = await openRemote(served.url, token);
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf"]);
  await expect(library.read(anyone, "secret-plan")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  await grantSkill(
    "secret-plan",
    { kind: "agent", key: "eves-agent" },
    { by: { ...ada, role: "admin" } },
    gateway.registry,
  );
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf", "secret-plan"]);
  expect((await library.read(anyone, "secret-plan")).body).toBe("Nobody else.\n");
  expect(await library.explain(anyone, "secret-plan")).toMatchObject([{ state: "visible" }]);
});

test("a session over a gateway lists, reads and searches like one over a folder [S-24] [S-25]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const session = await openSession(library, anyone, systemPorts());
  const { text } = await session.catalogue();
  expect(text).toContain("pdf");
  expect(text).toContain(`gateway:127.0.0.1:${served.port}`);
  const tools = skillTools(session);
  const read = await callSkillTool(tools, "read_skill", { skill_id: "pdf" });
  expect(JSON.stringify(read)).toContain("Do it.");
  const found = await callSkillTool(tools, "search_skills", { query: "fill in a form" });
  expect(JSON.stringify(found)).toContain("pdf");
  const resource = await session.resource("pdf", "references/forms.md");
  expect(resource.content).toBe("# Forms\nFill in a form.\n");
  await session.close();
});

test("the gateway records each download of an agent once [S-62]", async () => {
  const token = await served.tokenOf("agent", "kim", "kims-agent");
  const library = await openRemote(served.url, token, { cache: await freshFolder() });
  const before = (await servedEvents()).length;
  const { treeHash, skillHash } = await library.read(anyone, "pdf");
  await library.read(anyone, "pdf");
  await library.files(anyone, "pdf");
  await library.find(anyone, "pdf");
  await library.search(anyone, "pdf");
  const events = (await servedEvents()).slice(before);
  expect(events).toMatchObject([
    { skill: "pdf", hash: treeHash, path: "SKILL.md", digest: skillHash, by: { agent: "kims-agent" } },
  ]);
});

test("a copy has every file with its permissions [S-13]", async () => {
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const folder = await freshFolder();
  const content = await library.copy(anyone, "pdf", folder);
  expect(content.files.map(({ path, executable, role }) => [path, executable, role])).toEqual([
    ["SKILL.md", false, "instructions"],
    ["references/forms.md", false, "reference"],
    ["scripts/fill.py", true, "script"],
  ]);
  expect(readdirSync(folder).sort()).toEqual(["SKILL.md", "references", "scripts"]);
  expect(readFileSync(join(folder, "scripts/fill.py"), "utf8")).toBe("print('fill')\n");
});

test("the viewer's allow list, pins and invoker also limit remote results [S-43]", async () => {
  const { gateway } = served;
  for (const number of Array.from({ length: 8 }, (_, index) => index))
    await put(gateway, `knit-${number}`, { visibility: "public", body: `Knits scarves ${number}.` });
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const limited = { ...anyone, allow: ["knit-7", "nowhere"] };
  expect((await library.list(limited)).map(({ id }) => id)).toEqual(["knit-7"]);
  const hits = await library.search(limited, "knits scarves", { limit: 1 });
  expect(hits.map(({ entry }) => entry.id)).toEqual(["knit-7"]);
  expect(await library.find(limited, "pdf")).toBeUndefined();
  expect(await library.explain(limited, "pdf")).toMatchObject([{ state: "hidden", reason: "not-allowed" }]);
  expect(await library.find({ ...anyone, pins: { pdf: 7 } }, "pdf")).toBeUndefined();
  expect(await library.find({ runtime: "hermes" }, "mail")).toBeDefined();
});

test("rejects viewing as another agent with the gateway's error [S-53]", async () => {
  await served.tokenOf("agent", "sue", "sues-agent");
  const token = await served.tokenOf("agent", "eve", "eves-agent");
  const library = await openRemote(served.url, token, { viewAs: { agent: "sues-agent" } });
  for (const attempt of [() => library.list(anyone), () => library.explain(anyone)])
    await expect(attempt()).rejects.toMatchObject({
      code: "FORBIDDEN",
      message: "Only administrators can view skills as another user.",
      details: { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  const asAda = { viewAs: { user: "ada" } };
  const refused = await openRemote(served.url, token, asAda);
  await expect(refused.list(anyone)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const admin = await openRemote(served.url, await served.tokenOf("admin"), asAda);
  const ids = (await admin.list(anyone)).map(({ id }) => id);
  expect(ids).toContain("secret-plan");
});

test("a revoked token gets no content, also not from the cache [S-53]", async () => {
  const { registry } = served.gateway;
  const { token, secret } = await issueToken(
    { name: "lost", role: "viewer", user: "bob" },
    { by: root },
    registry,
  );
  const library = await openRemote(served.url, secret, { cache: await freshFolder() });
  expect((await library.read(anyone, "pdf")).body).toBe("Do it.\n");
  await revokeToken(token.id, { by: root }, registry);
  for (const attempt of [
    () => library.list(anyone),
    () => library.read(anyone, "pdf"),
    () => library.resource(anyone, "pdf", "SKILL.md"),
    () => library.search(anyone, "pdf"),
    () => library.explain(anyone),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  const again = openRemoteLibrary({ url: served.url, token: secret }, { host, ids: { next: randomUUID } });
  await expect(again).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("a disabled skill disappears with the next call, although its files are cached [S-44]", async () => {
  const { registry } = served.gateway;
  await put(served.gateway, "brief", { visibility: "public" });
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"), {
    cache: await freshFolder(),
  });
  await library.read(anyone, "brief");
  await toggleSkill("brief", false, { by: ada }, registry);
  await expect(library.read(anyone, "brief")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  await toggleSkill("brief", true, { by: ada }, registry);
  expect((await library.read(anyone, "brief")).body).toBe("Do it.\n");
});

test("reads a new revision between two calls [S-41]", async () => {
  await put(served.gateway, "moving", { visibility: "public", body: "One." });
  const library = await openRemote(served.url, await served.tokenOf("viewer", "bob"));
  const first = await library.read(anyone, "moving");
  await put(served.gateway, "moving", { body: "Two." });
  const second = await library.read(anyone, "moving");
  expect([first.body, second.body]).toEqual(["One.\n", "Two.\n"]);
  expect([first.entry.revision, second.entry.revision]).toEqual([1, 2]);
});

test("a pinned viewer gets the pinned revision and its files [S-43]", async () => {
  const { gateway } = served;
  await put(gateway, "held", { body: "One.", files: { "references/a.md": "one" } });
  await grantSkill("held", { kind: "user", key: "pia" }, { by: ada, pin: 1 }, gateway.registry);
  await put(gateway, "held", { body: "Two.", files: { "references/a.md": "two" } });
  const library = await openRemote(served.url, await served.tokenOf("viewer", "pia"));
  const { body, entry } = await library.read(anyone, "held");
  expect([body, entry.revision]).toEqual(["One.\n", 1]);
  expect((await library.resource(anyone, "held", "references/a.md")).content).toBe("one");
});

test("an unchanged list and a cached read each cost one 304 response [S-55]", async () => {
  const between = await standBetween(served.url);
  const library = await openRemote(between.url, await served.tokenOf("viewer", "bob"));
  await library.read(anyone, "pdf");
  between.seen.length = 0;
  await library.list(anyone);
  await library.read(anyone, "pdf");
  expect(between.seen).toEqual([
    "GET /v1/skills?runtime=*&invoker=any&view=visible&limit=1000 304",
    "GET /v1/skills?runtime=*&invoker=any&view=visible&limit=1000 304",
  ]);
});

test("reads a list of several pages, and revalidates it with one request [S-55]", async () => {
  const many = await serveGateway();
  try {
    for (let number = 0; number < 30; number += 1)
      await put(many.gateway, `skill-${String(number).padStart(3, "0")}`, { visibility: "public" });
    // The proxy reduces the page size.
    const between = await standBetween(many.url, async ({ url = "", headers }, response) => {
      if (!url.startsWith("/v1/skills?")) return false;
      const asked = new URL(url.replace("limit=1000", "limit=7"), many.url);
      const answer = await fetch(asked, {
        headers: {
          authorization: headers.authorization ?? "",
          "if-none-match": String(headers["if-none-match"] ?? '""'),
          "accept-encoding": "identity",
        },
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
      return true;
    });
    const library = await openRemote(between.url, await many.tokenOf("viewer", "bob"));
    expect(await library.list(anyone)).toHaveLength(30);
    between.seen.length = 0;
    expect(await library.list(anyone)).toHaveLength(30);
    expect(between.seen).toHaveLength(1);
  } finally {
    await many.close();
  }
});

test("reports an unreachable gateway, and recovers when it is back [S-43]", async () => {
  const own = await serveGateway();
  try {
    await put(own.gateway, "pdf", { visibility: "public" });
    const cache = await freshFolder();
    const library = await openRemote(own.url, await own.tokenOf("viewer", "bob"), { cache });
    await library.read(anyone, "pdf");
    await own.leave();
    for (const attempt of [
      () => library.list(anyone),
      () => library.read(anyone, "pdf"),
      () => library.search(anyone, "pdf"),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: "REMOTE_FAILED",
        message: expect.stringContaining(own.url),
        hint: "Start the gateway, or correct the address.",
      });
    await own.comeBack();
    expect((await library.read(anyone, "pdf")).body).toBe("Do it.\n");
  } finally {
    await own.close();
  }
});

test("a closed library cancels its requests and rejects new ones [S-53]", async () => {
  const { url } = await standBetween(served.url, ({ url: asked = "" }) => asked.startsWith("/v1/skills?"));
  const library = await openRemote(url, await served.tokenOf("viewer", "bob"));
  const waiting = library.list(anyone);
  const refused = expect(waiting).rejects.toMatchObject({ message: "The library is closed." });
  await library.close();
  await refused;
  await expect(library.list(anyone)).rejects.toMatchObject({ code: "REMOTE_FAILED" });
});
