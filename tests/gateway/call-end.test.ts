import { readdir } from "node:fs/promises";
import { writeArchive } from "@skillhold/core/archive";
import { sha256Of } from "@skillhold/gateway/test/bytes";
import { RunningCalls } from "@skillhold/gateway/test/session/running-calls";
import { issueToken } from "@skillhold/registry/token";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openHeldGateway } from "./blob-hold.fixture.ts";
import { answerOf, ask, openTestGateway, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";
import { engines, openOn, put, send, skillText } from "./skill.fixture.ts";

const root = { user: "root", role: "admin" } as const;

let gateway: TestGateway;
afterEach(() => gateway.close());

/** The ways in which a token becomes invalid. */
const ends = {
  "the token is revoked": async (headers: Readonly<Record<string, string>>) => {
    const { token } = await answerOf("whoAmI", await ask(gateway, "GET", "/v1/me", { headers }));
    const admin = await gateway.asRole("admin", "root");
    return await ask(gateway, "DELETE", `/v1/tokens/${token}`, { headers: admin });
  },
  "the agent is taken away": async () =>
    await ask(gateway, "DELETE", "/v1/agents/bot", { headers: await gateway.asRole("admin", "root") }),
} as const;

describe.each(Object.entries(ends))("when %s", (_, end) => {
  test("cancels its running calls and closes its sessions [S-53] [S-62]", async () => {
    const started = Promise.withResolvers<void>();
    gateway = await openRunningGateway({ onStart: () => started.resolve() });
    await putFiles(gateway, "slow", root, { "scripts/wait.sh": "sleep 60" });
    const headers = await gateway.asRole("agent", "ada", "bot");
    const admin = await gateway.asRole("admin", "root");
    await ask(gateway, "PUT", "/v1/skills/slow/grants/agent/bot", { headers: admin, body: {} });
    const session = await TestSession.open(gateway, headers);
    const idle = await TestSession.open(gateway, headers);
    const other = await TestSession.open(gateway, admin);
    const running = session.send("POST", "/tools/run_skill_script", {
      body: { skill_id: "slow", script: "scripts/wait.sh" },
    });
    await started.promise;
    expect((await end(headers)).status).toBe(200);
    expect(await problemOf(await running)).toMatchObject({ code: "UNAUTHENTICATED" });
    const closed = async ({ id }: TestSession) => {
      const events = await gateway.registry.store.eventsOfSession(id);
      expect(events.at(-1)?.event.type).toBe("session.closed");
      return events.map(({ event }) => event);
    };
    const events = await vi.waitFor(() => closed(session), 120_000);
    expect(events.find(({ type }) => type === "skill.script_executed")).toMatchObject({ outcome: "aborted" });
    await vi.waitFor(() => closed(idle), 120_000);
    expect((await other.tools()).length).toBeGreaterThan(0);
  });

  test.each(["skills/open/archive", "skills/open/diff", "export?skills=open"])(
    "neither sends nor records a running download: %s [S-53] [S-62]",
    async (path) => {
      const held = await openHeldGateway();
      gateway = held;
      const one = await put(gateway, "open", { visibility: "public" });
      const two = await put(gateway, "open", { body: "Do it twice." });
      const headers = await gateway.asRole("publisher", "ada", "bot");
      const answer = ask(gateway, "GET", `/v1/${path}`, { headers });
      await Promise.race([one, two].map(({ skillHash }) => held.hold.begun(skillHash)));
      await end(headers);
      expect(await problemOf(await answer)).toMatchObject({ code: "UNAUTHENTICATED" });
      held.hold.release();
      const other = await gateway.asRole("publisher", "ada", "other");
      expect((await ask(gateway, "GET", `/v1/${path}`, { headers: other })).status).toBe(200);
      expect(await servedAgents()).toEqual(new Set(["other"]));
    },
  );

  test("does not send large files that it reads or waits for [S-53] [S-62]", async () => {
    const held = await openHeldGateway();
    gateway = held;
    const bytes = new Uint8Array(2 * 1024 * 1024).fill(7);
    await put(gateway, "open", { visibility: "public", files: { "large.bin": bytes } });
    const path = "/v1/skills/open/files/large.bin";
    const headers = await gateway.asRole("agent", "ada", "bot");
    const answers = Array.from({ length: 6 }, () => ask(gateway, "GET", path, { headers }));
    const digest = sha256Of(bytes);
    await vi.waitFor(() => expect(held.hold.reads.get(digest)).toBe(4), 120_000);
    await end(headers);
    for (const answer of await Promise.all(answers))
      expect(await problemOf(answer)).toMatchObject({ code: "UNAUTHENTICATED" });
    held.hold.release();
    const other = await gateway.asRole("agent", "ada", "other");
    expect((await ask(gateway, "GET", path, { headers: other })).status).toBe(200);
    expect(await servedAgents()).toEqual(new Set(["other"]));
    // The waiting files were not read.
    expect(held.hold.reads.get(digest)).toBe(5);
  });

  test("does not publish its running upload [S-45] [S-53]", async () => {
    const held = await openHeldGateway();
    gateway = held;
    const headers = await gateway.asRole("publisher", "ada", "bot");
    const content = Buffer.from(skillText("late"));
    const archive = await writeArchive("zip", [{ path: "late/SKILL.md", executable: false, content }]);
    const upload = send(gateway, "/v1/skills/upload", archive, headers);
    await held.hold.putting;
    await end(headers);
    expect(await problemOf(await upload)).toMatchObject({ code: "UNAUTHENTICATED" });
    held.hold.release();
    const { temporary } = gateway.context.options;
    // The unpacked files are deleted when the work ends.
    await vi.waitFor(async () => {
      const names = await readdir(temporary);
      expect(names.filter((name) => name.startsWith("skillhold-"))).toEqual([]);
    }, 120_000);
    expect(await gateway.registry.store.listSkills()).toEqual([]);
  });
});

async function servedAgents(): Promise<ReadonlySet<string | undefined>> {
  const events = await gateway.registry.store.eventsAfter(0, 1000);
  return new Set(events.flatMap(({ event }) => (event.type === "skill.served" ? [event.by.agent] : [])));
}

describe.each(engines)("on %s", (engine) => {
  test("a long call ends with its token, and others continue [S-53]", async () => {
    const begun: AbortSignal[] = [];
    const starts = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const goOn = Promise.withResolvers<void>();
    const report = { isSound: true, events: 0, problems: [], checkpoints: [] };
    gateway = await openOn(engine, {
      verifyAudit: async (signal) => {
        begun.push(signal);
        starts[begun.length - 1]?.resolve();
        await goOn.promise;
        // The test checks which callers get a response, not its content.
        return report as never;
      },
    });
    const [one, two] = [await gateway.asRole("admin", "one"), await gateway.asRole("admin", "two")];
    const first = ask(gateway, "GET", "/v1/audit/verify", { headers: one });
    await starts[0]?.promise;
    const second = ask(gateway, "GET", "/v1/audit/verify", { headers: two });
    await starts[1]?.promise;
    await ends["the token is revoked"](one);
    expect(await problemOf(await first)).toMatchObject({ code: "UNAUTHENTICATED" });
    goOn.resolve();
    expect((await second).status).toBe(200);
    expect(begun.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

test("a call whose token is revoked during the upload does not start [S-53]", async () => {
  gateway = await openTestGateway();
  const headers = await gateway.asRole("agent", "ada", "bot");
  const session = await TestSession.open(gateway, headers);
  const came = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const body = new ReadableStream(
    {
      async pull(controller) {
        asked.resolve();
        await came.promise;
        controller.enqueue(new TextEncoder().encode("{}"));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  // Node requires this option for a stream body.
  const init = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit;
  const opening = gateway.app.request(`http://${headers.host}/v1/sessions`, init);
  await asked.promise;
  await ends["the token is revoked"](headers);
  came.resolve();
  expect(await problemOf(await opening)).toMatchObject({ code: "UNAUTHENTICATED" });
  const opened = (await gateway.registry.store.eventsAfter(0, 100)).flatMap(({ event }) =>
    event.type === "session.opened" ? [event.session] : [],
  );
  for (const id of opened)
    await vi.waitFor(async () => {
      const events = await gateway.registry.store.eventsOfSession(id);
      expect(events.at(-1)?.event.type).toBe("session.closed");
    }, 120_000);
  expect(opened).toContain(session.id);
});

test("a missing token rejects the call [S-53]", async () => {
  gateway = await openTestGateway();
  const calls = new RunningCalls({ ...gateway.context, log: () => {} });
  const bearer = { token: "gone", agent: undefined, expiresAt: "2099-01-01T00:00:00.000Z" };
  const run = calls.run(bearer, new AbortController().signal, async () => "done");
  await expect(run).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
});

test("a call ends with its token or agent also when the event was missed [S-53]", async () => {
  let late = 0;
  gateway = await openTestGateway({ clock: { now: () => new Date(Date.now() + late) } });
  const { registry } = gateway;
  const { store } = registry;
  await gateway.asRole("agent", "ada", "bot");
  await gateway.asRole("viewer", "vic");
  const tokens = await store.listTokens("api");
  const spec = { kind: "api", name: "more", role: "viewer" } as const;
  const soonOver = await issueToken({ ...spec, user: "sue", expiresInMs: 60_000 }, { by: root }, registry);
  const forLong = await issueToken({ ...spec, user: "fay" }, { by: root }, registry);
  const bearers = [...tokens, soonOver.token, forLong.token].map(({ id, agent, expiresAt }) => {
    return { token: id, agent, expiresAt };
  });
  const calls = new RunningCalls({ ...gateway.context, registry, log: () => {} });
  const work = Promise.withResolvers<string>();
  const begun: AbortSignal[] = [];
  const running = bearers.map((bearer) =>
    calls.run(bearer, new AbortController().signal, (signal) => {
      begun.push(signal);
      return work.promise;
    }),
  );
  const settled = Promise.allSettled(running);
  await vi.waitFor(() => expect(begun).toHaveLength(bearers.length), 120_000);
  await calls.endExpired();
  expect(begun.some(({ aborted }) => aborted)).toBe(false);
  late = 61_000;
  const bot = await store.findAgent("bot");
  await store.transaction(async (tx) => {
    const now = new Date().toISOString();
    for (const token of tokens)
      if (token.agent === undefined) await tx.putToken({ ...token, revokedAt: now });
    if (bot !== undefined) await tx.putAgent({ ...bot, removedAt: now });
  });
  await calls.endExpired();
  work.resolve("done");
  const refused = { status: "rejected", reason: { code: "UNAUTHENTICATED" } };
  expect(await settled).toMatchObject([refused, refused, refused, { status: "fulfilled", value: "done" }]);
});
