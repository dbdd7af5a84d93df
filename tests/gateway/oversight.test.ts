import type { SkillEvent } from "@skillhold/protocol";
import { Digest, SkillId } from "@skillhold/protocol";
import { grantSkill, setApprovers } from "@skillhold/registry/access";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { sampleEvents } from "./event-sample.fixture.ts";
import { answerOf, ask, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";
import { openPort, type TestPort, TestSocket } from "./socket.fixture.ts";

const admin = { user: "root", role: "admin" } as const;
const input = (skill: string) => ({ skill_id: skill, script: "scripts/say.sh" });

describe.each(["sqlite", "postgres"])("oversight of skills on %s", (engine) => {
  let gateway: TestGateway;
  let port: TestPort;
  let hash: Digest;
  let pats: Awaited<ReturnType<TestGateway["asRole"]>>;

  /** pat owns one skill, manages another by a grant and may only use the others; bob may use two. */
  beforeEach(async () => {
    gateway = await openRunningGateway(engine === "postgres" ? { url: await freshDatabase() } : {});
    port = await openPort(gateway);
    for (const [id, user] of [
      ["pats", "pat"],
      ["lent", "ann"],
      ["anns", "ann"],
    ] as const)
      await putFiles(gateway, id, { user, role: "publisher" }, { "scripts/say.sh": "echo done" });
    await putSkill(gateway, "other", "ann", "public");
    const to = { kind: "user", key: "pat" } as const;
    await grantSkill(
      "lent",
      to,
      { by: { user: "ann", role: "publisher" }, canManage: true },
      gateway.registry,
    );
    await grantSkill("anns", to, { by: { user: "ann", role: "publisher" } }, gateway.registry);
    for (const [id, user] of [
      ["pats", "pat"],
      ["anns", "ann"],
    ] as const)
      await grantSkill(
        id,
        { kind: "user", key: "bob" },
        { by: { user, role: "publisher" } },
        gateway.registry,
      );
    hash = await treeHashOf("pats");
    pats = await gateway.asRole("publisher", "pat");
  });

  afterEach(async () => {
    await gateway.close();
    await port.close();
  });

  async function treeHashOf(id: string): Promise<Digest> {
    const { store } = gateway.registry;
    const skill = await store.findSkill(id);
    const [revision] = await store.listRevisions(skill?.uid ?? "");
    return Digest.parse(revision?.treeHash);
  }

  const get = (path: string, headers = pats) => ask(gateway, "GET", path, { headers });
  const send = (method: string, path: string, body: object, headers = pats) =>
    ask(gateway, method, path, { headers, body });
  const list = async (query = "limit=1000", headers = pats) =>
    await answerOf("listEvents", await get(`/v1/audit?${query}`, headers));
  const exported = async (): Promise<readonly SkillEvent[]> => {
    const text = await (await get("/v1/audit/export")).text();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line).event);
  };
  /** The events that a new subscriber gets whole: those about skills and their use. */
  const streamed = async (headers = pats): Promise<readonly SkillEvent[]> => {
    const socket = await TestSocket.open(port, headers);
    await socket.subscribe({ after: 0 });
    await socket.close();
    return socket.events.map(({ event }) => event);
  };
  const skillsIn = (events: readonly SkillEvent[]) =>
    new Set(events.flatMap((event) => ("skill" in event ? [event.skill] : [])));

  test("a publisher lists, exports and receives no event of a skill that is not theirs [S-70] [S-54]", async () => {
    const ids = ["pats", "lent", "anns", "other", "nowhere"] as const;
    const kinds = sampleEvents("pats", "s").map(({ type }) => type);
    const hashes = { own: hash, elsewhere: Digest.parse(`sha256:${"f".repeat(64)}`) };
    const lent = await treeHashOf("lent");
    const made = fc.record({
      skill: fc.constantFrom(...ids),
      type: fc.constantFrom(...kinds),
      content: fc.constantFrom("own", "elsewhere"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 12 }), async (given) => {
        const events = given.flatMap(({ skill, type, content }) =>
          sampleEvents(skill, "session").flatMap((event) => {
            if (event.type !== type) return [];
            const own = skill === "lent" ? lent : hashes.own;
            const used = content === "own" ? own : hashes.elsewhere;
            return ["hash" in event ? ({ ...event, hash: used } as SkillEvent) : event];
          }),
        );
        const { store } = gateway.registry;
        const before = await store.lastEvent();
        await store.transaction((tx) => tx.appendAll(events));
        const { events: shared } = await list(`limit=1000&after=${before}`);
        for (const { event } of shared) {
          expect("skill" in event && ["pats", "lent"].includes(event.skill)).toBe(true);
          if ("session" in event && "hash" in event) expect([hash, lent]).toContain(event.hash);
        }
        // The use of both skills is complete: no event of their content is missing.
        const used = events.filter(
          (event) =>
            "session" in event &&
            "hash" in event &&
            "skill" in event &&
            !("proposal" in event) &&
            ((event.skill === "pats" && event.hash === hash) ||
              (event.skill === "lent" && event.hash === lent)),
        );
        expect(shared.filter(({ event }) => "session" in event).map(({ event }) => event.type)).toEqual(
          used.map(({ type }) => type),
        );
      }),
      { numRuns: 15 },
    );
    const all = await list();
    expect(await exported()).toEqual(all.events.map(({ event }) => event));
    const received = await streamed();
    const seen = new Set(received.map((event) => JSON.stringify(event)));
    for (const { event } of all.events) expect(seen).toContain(JSON.stringify(event));
    expect(skillsIn(received)).not.toContain("nowhere");
    const use = received.filter((event) => "session" in event);
    expect([...skillsIn(use)].filter((id) => id !== "pats" && id !== "lent")).toEqual([]);
  });

  test("pages of a publisher repeat and skip nothing, and events of others change no byte [S-70]", async () => {
    const events = Array.from({ length: 40 }, (_, number) =>
      sampleEvents(number % 3 === 0 ? "pats" : "anns", `s${number}`).filter(
        ({ type }) => type === "skill.activated",
      ),
    ).flat();
    const own = events.map((event) => ("hash" in event ? ({ ...event, hash } as SkillEvent) : event));
    await gateway.registry.store.transaction((tx) => tx.appendAll(own));
    const whole = await list("limit=1000");
    const paged: number[] = [];
    for (let after = "0"; ; ) {
      const page = (await list(`limit=3&after=${after}`)).events.map(({ seq }) => seq);
      paged.push(...page);
      if (page.length < 3) break;
      after = String(page.at(-1));
    }
    expect(paged).toEqual(whole.events.map(({ seq }) => seq));
    const newest = (await list("limit=5&order=newest")).events.map(({ seq }) => seq);
    expect(newest).toEqual(paged.toReversed().slice(0, 5));
    expect(whole.last).toBe(paged.at(-1));
    const first = await get("/v1/audit");
    const tag = first.headers.get("etag") ?? "";
    await putSkill(gateway, "hidden", "ann");
    await gateway.registry.store.transaction((tx) => tx.appendAll(sampleEvents("anns", "more")));
    const again = await ask(gateway, "GET", "/v1/audit", { headers: { ...pats, "if-none-match": tag } });
    expect([tag === "", again.status]).toEqual([false, 304]);
  });

  test("viewers, agents and other publishers see neither questions nor activity [S-70]", async () => {
    await gateway.registry.store.transaction((tx) =>
      tx.appendAll(
        sampleEvents("pats", "s").map((event) =>
          "hash" in event ? ({ ...event, hash } as SkillEvent) : event,
        ),
      ),
    );
    const eve = await gateway.asRole("publisher", "eve");
    expect((await list("limit=1000", eve)).events).toEqual([]);
    expect((await list("limit=1000", eve)).last).toBe(0);
    for (const headers of [
      await gateway.asRole("viewer", "pat"),
      await gateway.asRole("agent", "pat", "bot"),
    ])
      for (const path of ["/v1/audit", "/v1/audit/export", "/v1/approvals"])
        expect(await problemOf(await get(path, headers))).toMatchObject({ status: 403 });
  });

  async function questions(headers = pats) {
    return (await answerOf("listQuestions", await get("/v1/approvals", headers))).questions;
  }

  /** Starts a run for bob, which waits for an answer. */
  async function start(skill: string) {
    const session = await TestSession.open(gateway, await gateway.asRole("publisher", "bob"));
    const running = session.call("run_skill_script", input(skill));
    const root = await gateway.asRole("admin", "root");
    const question = await vi.waitFor(
      async () => {
        const found = (await questions(root)).find((each) => each.skill === skill);
        if (found === undefined) throw new Error("no question yet");
        return found;
      },
      { timeout: 20_000 },
    );
    return { running, id: question.id };
  }

  test("an owner answers questions of their skill, and others do not see them [S-70] [S-28]", async () => {
    const own = await start("pats");
    const foreign = await start("anns");
    expect(await questions()).toMatchObject([{ id: own.id, skill: "pats", mayAnswer: true }]);
    const path = (id: string) => `/v1/approvals/${id}`;
    expect(await answerOf("getQuestionContent", await get(`${path(own.id)}/content`))).toMatchObject({
      code: { text: "echo done" },
    });
    for (const response of [
      await get(`${path(foreign.id)}/content`),
      await send("POST", path(foreign.id), { answer: "approve", scope: "once" }),
    ])
      expect(await problemOf(response)).toMatchObject({ code: "QUESTION_NOT_FOUND" });
    const wide = { answer: "approve", scope: "content", widen: ["everyone"] };
    expect(await problemOf(await send("POST", path(own.id), wide))).toMatchObject({ code: "POLICY_DENIED" });
    await send("POST", path(own.id), { answer: "approve", scope: "content" });
    expect(await own.running).toMatchObject({ ok: true });
    const answered = (await streamed()).filter(({ type }) => type === "approval.answered");
    expect(answered).toMatchObject([{ question: own.id, content: { skill: "pats", hash } }]);
    const root = await gateway.asRole("admin", "root");
    await send("POST", path(foreign.id), { answer: "approve", scope: "content" }, root);
    await foreign.running;
    const { approvals } = await answerOf("listQuestions", await get("/v1/approvals"));
    expect(approvals).toMatchObject([{ skill: "pats", by: "pat", mayRevoke: true }]);
    const kept = (await answerOf("listQuestions", await get("/v1/approvals", root))).approvals;
    const hidden = kept.find(({ skill }) => skill === "anns");
    const revoke = async (id: string | undefined) =>
      await answerOf(
        "revokeApproval",
        await ask(gateway, "DELETE", `/v1/approvals/kept/${id}`, { headers: pats }),
      );
    expect(await revoke(hidden?.id)).toEqual({ wasThere: false });
    expect(await revoke(approvals[0]?.id)).toEqual({ wasThere: true });
  });

  test("named approvers answer instead of the managers [S-70] [S-28]", async () => {
    const { registry } = gateway;
    const by = { by: admin };
    await expect(setApprovers("pats", ["nobody"], by, registry)).rejects.toMatchObject({
      code: "USER_NOT_FOUND",
    });
    const ann = await gateway.asRole("publisher", "ann");
    const root = await gateway.asRole("admin", "root");
    const path = "/v1/skills/pats/approvers";
    await registry.store.transaction((tx) =>
      tx.putUser({ name: "ann", displayName: undefined, createdAt: new Date().toISOString() }),
    );
    expect(await problemOf(await send("PUT", path, { approvers: ["ann"] }))).toMatchObject({ status: 403 });
    const named = await answerOf("putApprovers", await send("PUT", path, { approvers: ["ann"] }, root));
    expect(named).toEqual({ id: "pats", approvers: ["ann"] });
    expect(await answerOf("listApprovers", await get(path))).toEqual(named);
    expect(await problemOf(await get(path, ann))).toMatchObject({ code: "SKILL_NOT_FOUND" });
    const { id, running } = await start("pats");
    expect(await questions()).toMatchObject([{ id, mayAnswer: false }]);
    expect(await questions(ann)).toMatchObject([{ id, mayAnswer: true }]);
    const deny = { answer: "deny" };
    expect(await problemOf(await send("POST", `/v1/approvals/${id}`, deny))).toMatchObject({
      code: "POLICY_DENIED",
    });
    expect((await send("POST", `/v1/approvals/${id}`, deny, ann)).status).toBe(200);
    expect(await running).toMatchObject({ ok: false, error: { code: "APPROVAL_DENIED" } });
    await setApprovers("pats", [], by, registry);
    const changed = (await list("type=skill.approvers_changed")).events.map(({ event }) => event);
    expect(changed).toMatchObject([{ approvers: ["ann"] }, { approvers: [] }]);
  });

  test("a token does not answer a request of its own user, and a viewer does not answer [S-70] [S-28]", async () => {
    const session = await TestSession.open(gateway, pats);
    const running = session.call("run_skill_script", input("pats"));
    const asked = await vi.waitFor(
      async () => {
        const [question] = await questions();
        if (question === undefined) throw new Error("no question yet");
        return question;
      },
      { timeout: 20_000 },
    );
    expect(asked).toMatchObject({ mayAnswer: false, requester: { user: "pat" } });
    const path = `/v1/approvals/${asked.id}`;
    const yes = { answer: "approve", scope: "once" };
    expect(await problemOf(await send("POST", path, yes))).toMatchObject({ code: "POLICY_DENIED" });
    const viewer = await gateway.asRole("viewer", "pat");
    expect(await problemOf(await send("POST", path, yes, viewer))).toMatchObject({ status: 403 });
    await send("POST", path, { answer: "deny" }, await gateway.asRole("admin", "root"));
    await running;
  });

  test("a question about other content under the same id is not the owner's [S-70]", async () => {
    const at = new Date().toISOString();
    const asked = sampleEvents("pats", "s").find(({ type }) => type === "approval.asked");
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const event = { ...asked, at, expiresAt, skill: SkillId.parse("pats") } as SkillEvent;
    await gateway.registry.store.transaction((tx) => tx.append(event));
    expect(await questions(await gateway.asRole("admin", "root"))).toHaveLength(1);
    expect(await questions()).toEqual([]);
    expect((await list("type=approval.asked")).events).toEqual([]);
  });
});
