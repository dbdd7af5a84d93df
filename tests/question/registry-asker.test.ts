import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ApprovalRequest, Approvals } from "@skillhold/core/approval";
import { digest, request } from "@skillhold/core/test/approval/approval.fixture";
import { type Actor, defaultLimits, type SkillEvent } from "@skillhold/protocol";
import type { QuestionAnswer } from "@skillhold/registry/test/question/question";
import { registryApprovals } from "@skillhold/registry/test/question/registry-approvals";
import type { RegistryAsker } from "@skillhold/registry/test/question/registry-asker";
import { execute } from "@skillhold/store/test/table/raw-registry.fixture";
import { inProcess } from "@skillhold/store/test/table/registry-process.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ada, adasAgent, admin, engines, system } from "../registry/scene.ts";
import { type AskerScene, openDeskScene } from "./asker-scene.ts";

const never = new AbortController().signal;
const yes: QuestionAnswer = { answer: "approve", scope: "once" };
const no: QuestionAnswer = { answer: "deny" };
const by = admin;
const answerMs = defaultLimits.approvalOpenMs;
const moduleUrl = (path: string) =>
  pathToFileURL(join(import.meta.dirname, "../../packages/registry/src", path)).href;

describe.each(engines)("questions on %s", (engine) => {
  let scene: AskerScene;
  let here: RegistryAsker;
  let there: RegistryAsker;
  beforeEach(async () => {
    scene = await openDeskScene(engine);
    [here, there] = [await scene.openDesk(), await scene.openDesk()];
  });
  afterEach(async () => {
    await scene.close();
  });

  /** Asks here and returns the id of the question as listed there. */
  async function ask(fields: Partial<ApprovalRequest> = {}, signal = never) {
    const open = (await there.listQuestions()).length;
    const answer = here.ask(request(fields), signal);
    // Not every test awaits it, and closing withdraws it.
    answer.catch(() => {});
    const [question] = (await scene.asked(there, open + 1)).slice(-1);
    return { answer, id: question?.id ?? "", question };
  }
  const questionEvents = async () =>
    (await scene.events()).filter(({ type }) => type === "approval.asked" || type === "approval.answered");

  describe("asking", () => {
    test.each<[QuestionAnswer]>([
      [yes],
      [{ answer: "approve", scope: "content", widen: ["everyone"] }],
      [no],
    ])("a question of one gateway is answered by %j at another [S-28] [S-54]", async (given) => {
      const { answer, id } = await ask();
      expect(await there.answerQuestion(id, given, { by })).toMatchObject({ id });
      expect(await answer).toMatchObject({ ...given, by: "root" });
      expect([await here.listQuestions(), await there.listQuestions()]).toEqual([[], []]);
      expect(await questionEvents()).toMatchObject([
        { type: "approval.asked", question: id },
        { type: "approval.answered", question: id, ...given, by },
      ]);
    });

    test("another gateway lists it with everything that an approval would permit [S-28]", async () => {
      const fields: Partial<ApprovalRequest> = {
        requester: { agent: "reader", user: "eve" },
        origin: "docs skill://pdf",
        environment: "sha256:lock",
        args: ["--fast", "", 'a "b" \u202e'],
        network: "example.org",
        mounts: [{ source: "/data", target: "/mnt/data", isWritable: true }],
        secrets: ["API_KEY"],
        stdin: { bytes: 3, digest: digest("abc") },
        decision: { verdict: "ask", rule: "external", reason: "One.", reasons: ["One.", "Two."] },
      };
      const { question, id } = await ask(fields);
      expect(question).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        askedAt: expect.any(String),
        expiresAt: expect.any(String),
        request: request(fields),
      });
      const { askedAt = "", expiresAt = "" } = question ?? {};
      expect(Date.parse(expiresAt) - Date.parse(askedAt)).toBe(answerMs);
      await there.answerQuestion(id, no, { by });
    });

    test("several questions wait for their own answers and are listed oldest first [S-28]", async () => {
      const asked = [await ask({ target: "a" }), await ask({ target: "b" }), await ask({ target: "c" })];
      const targets = (await there.listQuestions()).map((each) => each.request.target);
      expect(targets).toEqual(["a", "b", "c"]);
      const [first, second, third] = asked;
      await there.answerQuestion(second?.id ?? "", no, { by });
      await here.answerQuestion(first?.id ?? "", yes, { by });
      expect([await first?.answer, await second?.answer]).toMatchObject([yes, no]);
      expect((await there.listQuestions()).map(({ id }) => id)).toEqual([third?.id]);
      await there.answerQuestion(third?.id ?? "", no, { by });
      expect(await third?.answer).toMatchObject(no);
    });

    test("follows the log only while a question waits [S-54]", async () => {
      let listeners = 0;
      const idle = Promise.withResolvers<void>();
      const desk = await scene.openDesk((store) => ({
        ...store,
        onCommit: async (listener) => {
          listeners += 1;
          const stop = await store.onCommit(listener);
          return async () => {
            listeners -= 1;
            if (listeners === 0) idle.resolve();
            await stop();
          };
        },
      }));
      expect(await desk.listQuestions()).toEqual([]);
      expect(listeners).toBe(0);
      const answers = [desk.ask(request(), never), desk.ask(request({ target: "b" }), never)];
      const asked = await scene.asked(there, 2);
      expect(listeners).toBe(1);
      for (const { id } of asked) await there.answerQuestion(id, yes, { by });
      await Promise.all(answers);
      await idle.promise;
      expect(listeners).toBe(0);
    });

    test("does not ask a question that cannot be recorded [S-62]", async () => {
      await scene.context.store.transaction((tx) => tx.append(toEvent("before")));
      await execute(scene.url, "update audit_head set hash = 'x', seq = 7");
      await expect(here.ask(request(), never)).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
      expect(await there.listQuestions()).toEqual([]);
    });

    test("throws if the log is reset to an earlier state [S-62]", async () => {
      await scene.context.store.transaction((tx) => tx.append(toEvent("before")));
      const { answer } = await ask();
      const ended = expect(answer).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
      await execute(scene.url, "delete from event");
      await ended;
      expect(await there.listQuestions()).toEqual([]);
    });
  });

  describe("answering", () => {
    const refuse = (id: string, code: string, actor: Actor = by) =>
      expect(there.answerQuestion(id, yes, { by: actor })).rejects.toMatchObject({ code });

    test("accepts only the first answer [S-28]", async () => {
      const { answer, id } = await ask();
      await there.answerQuestion(id, no, { by });
      await refuse(id, "CONFLICT");
      await expect(here.answerQuestion(id, yes, { by })).rejects.toMatchObject({ code: "CONFLICT" });
      expect(await answer).toMatchObject(no);
      expect(await questionEvents()).toHaveLength(2);
    });

    test("rejects an answer to an unknown question [S-28]", async () => {
      await ask();
      for (const id of ["", "q", "a\0b", "\ud800", "__proto__", "x".repeat(100_000)])
        await refuse(id, "QUESTION_NOT_FOUND");
    });

    test("overseers of the skill can answer, and not through an agent [S-28] [S-70]", async () => {
      const { answer, id } = await ask();
      // The registry has no such skill, so that a publisher oversees none of its questions.
      await refuse(id, "QUESTION_NOT_FOUND", ada);
      for (const actor of [
        adasAgent,
        system,
        { user: "root", role: "viewer" } as const,
        { ...admin, agent: "writer" },
      ])
        await refuse(id, "POLICY_DENIED", actor);
      expect(await there.listQuestions()).toHaveLength(1);
      await there.answerQuestion(id, no, { by });
      expect(await answer).toMatchObject(no);
    });

    test("ignores an answer in the log that is not from an administrator [S-28]", async () => {
      const { answer, id } = await ask();
      const at = new Date().toISOString();
      const forged = (question: string): SkillEvent => ({
        type: "approval.answered",
        at,
        question,
        answer: "approve",
        scope: "content",
        by: adasAgent,
      });
      const second = await ask({ target: "b" });
      await scene.context.store.transaction((tx) => tx.append(forged(id)));
      await there.answerQuestion(second.id, yes, { by });
      await second.answer;
      // Its events come before those of the second question, which was answered.
      expect(await Promise.race([answer, "waits"])).toBe("waits");
      await there.answerQuestion(id, no, { by });
      expect(await answer).toMatchObject(no);
    });

    test("an expired question is not listed and rejects answers [S-28]", async () => {
      const { id } = await ask();
      scene.pass(answerMs);
      expect(await there.listQuestions()).toEqual([]);
      await refuse(id, "CONFLICT");
      expect(await questionEvents()).toHaveLength(1);
    });

    test("accepts one of two concurrent answers [S-28]", async () => {
      const desks = [here, there, await scene.openDesk()];
      for (let round = 0; round < 4; round += 1) {
        const { answer, id } = await ask();
        const ended = await Promise.allSettled(
          desks.map((desk, index) => desk.answerQuestion(id, index === 1 ? yes : no, { by })),
        );
        const heard = ended.flatMap(({ status }, index) => (status === "fulfilled" ? [index] : []));
        expect(heard).toHaveLength(1);
        for (const each of ended)
          if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "CONFLICT" });
        expect(await answer).toMatchObject(heard[0] === 1 ? yes : no);
      }
    });

    test("accepts one answer per question from two processes [S-28]", async () => {
      const asked = [await ask({ target: "a" }), await ask({ target: "b" }), await ask({ target: "c" })];
      const code = `
        const { RegistryAsker } = await import(args[0]);
        const clock = { now: () => new Date() };
        const desk = new RegistryAsker({ store, clock, limits: JSON.parse(args[1]) });
        const by = { user: args[3], role: "admin" };
        const ended = await Promise.allSettled(
          JSON.parse(args[2]).map((id) => desk.answerQuestion(id, { answer: "deny" }, { by })));
        return ended.map((each) => each.status === "fulfilled" ? "heard" : each.reason.code);`;
      const ids = JSON.stringify(asked.map(({ id }) => id));
      const args = [moduleUrl("question/registry-asker.ts"), JSON.stringify(scene.context.limits), ids];
      const [first, second] = (
        await Promise.all(["eve", "bob"].map((user) => inProcess(scene.url, code, ...args, user)))
      ).map((answer) => (Array.isArray(answer) ? answer.map(String) : []));
      const pairs = asked.map((_, index) => [first?.[index], second?.[index]].toSorted());
      expect(pairs).toEqual(asked.map(() => ["CONFLICT", "heard"]));
      const heard = (await Promise.all(asked.map(({ answer }) => answer))).map((each) => each.by);
      expect(heard).toEqual(first?.map((each) => (each === "heard" ? "eve" : "bob")));
    });
  });

  describe("giving up", () => {
    test("a canceled question is not listed and rejects answers [S-28]", async () => {
      const calling = new AbortController();
      const { answer, id } = await ask({}, calling.signal);
      calling.abort();
      await expect(answer).rejects.toMatchObject({ code: "INTERRUPTED" });
      expect(await there.listQuestions()).toEqual([]);
      await expect(there.answerQuestion(id, yes, { by })).rejects.toMatchObject({ code: "CONFLICT" });
      expect((await questionEvents()).slice(1)).toMatchObject([{ answer: "withdrawn", by: system }]);
    });

    test("does not ask a question that is canceled before [S-28]", async () => {
      await expect(here.ask(request(), AbortSignal.abort())).rejects.toMatchObject({ code: "INTERRUPTED" });
      const calling = new AbortController();
      const answer = here.ask(request(), calling.signal);
      calling.abort();
      await expect(answer).rejects.toMatchObject({ code: "INTERRUPTED" });
      expect(await questionEvents()).toEqual([]);
    });

    test("canceling does not undo an earlier answer [S-28]", async () => {
      const calling = new AbortController();
      const { answer, id } = await ask({}, calling.signal);
      await there.answerQuestion(id, yes, { by });
      expect(await answer).toMatchObject(yes);
      calling.abort();
      expect((await questionEvents()).slice(1)).toMatchObject([{ answer: "approve" }]);
    });

    test("closing withdraws all open questions and rejects new ones [S-28]", async () => {
      const asked = [await ask({ target: "a" }), await ask({ target: "b" })];
      const ended = Promise.allSettled(asked.map(({ answer }) => answer));
      await here.close();
      expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect(await there.listQuestions()).toEqual([]);
      await expect(here.ask(request(), never)).rejects.toMatchObject({ code: "INTERRUPTED" });
    });

    test("the question of a killed process is listed until it expires [S-28]", async () => {
      const code = `
        const { RegistryAsker } = await import(args[0]);
        const { RegistryAudit } = await import(args[1]);
        const ports = { store, audit: new RegistryAudit(store), clock: { now: () => new Date() },
          ids: { next: () => "left-behind" }, limits: JSON.parse(args[2]) };
        const asking = new RegistryAsker(ports).ask(JSON.parse(args[3]), new AbortController().signal);
        const watching = new RegistryAsker(ports);
        while ((await watching.listQuestions()).length === 0) await new Promise(setImmediate);
        process.stdout.write('"asked"');
        process.exit(0);`;
      const { limits } = scene.context;
      const modules = ["question/registry-asker.ts", "audit/registry-audit.ts"].map(moduleUrl);
      const args = [...modules, JSON.stringify(limits), JSON.stringify(request())];
      expect(await inProcess(scene.url, code, ...args)).toBe("asked");
      expect(await there.listQuestions()).toMatchObject([{ id: "left-behind", request: request() }]);
      scene.pass(answerMs);
      expect(await there.listQuestions()).toEqual([]);
    });
  });

  describe("an answer after the call", () => {
    /** An asker whose calls stop waiting when the test says so. */
    async function openLeaving() {
      const leave: (() => void)[] = [];
      const timers = {
        after: (_ms: number, callback: () => void) => {
          leave.push(callback);
          return () => {};
        },
      };
      const link = () => "http://gateway.example/approvals";
      const desk = await scene.openDesk(undefined, { timers, link });
      return { desk, leave };
    }

    /** Asks, and stops waiting before the answer. */
    async function left(fields: Partial<ApprovalRequest> = {}) {
      const { desk, leave } = await openLeaving();
      const answer = desk.ask(request(fields), never);
      const pending = expect(answer).rejects.toMatchObject({
        code: "APPROVAL_PENDING",
        message: expect.stringContaining("http://gateway.example/approvals"),
      });
      const [question] = await scene.asked(there);
      for (const each of leave) each();
      await pending;
      return { desk, leave, id: question?.id ?? "" };
    }

    test.each([yes, no])(
      "%j counts once for the next equal request, at any gateway [S-28]",
      async (given) => {
        const { id } = await left();
        expect(await there.listQuestions()).toHaveLength(1);
        await there.answerQuestion(id, given, { by });
        const fresh = await scene.openDesk();
        expect(await fresh.ask(request({ session: "s2", run: "r2" }), never)).toMatchObject({
          ...given,
          by: "root",
        });
        expect((await scene.events()).at(-1)).toMatchObject({
          type: "approval.used",
          question: id,
          session: "s2",
          run: "r2",
        });
        const again = here.ask(request(), never);
        again.catch(() => {});
        expect((await scene.asked(there)).map((each) => each.id)).not.toContain(id);
      },
    );

    test.each<Partial<ApprovalRequest>>([
      { requester: { agent: "other" } },
      { treeHash: digest("changed") },
      { args: ["--fast", "x"] },
      { stdin: { bytes: 1, digest: digest("x") } },
      { target: "scripts/b.py" },
      { act: "call_tool" },
      { environment: "sha256:other" },
      { network: "open" },
    ])("does not count for a request with other %j [S-28]", async (fields) => {
      const { id } = await left();
      await there.answerQuestion(id, yes, { by });
      const answer = here.ask(request(fields), never);
      answer.catch(() => {});
      expect(await scene.asked(there)).toMatchObject([{ request: request(fields) }]);
    });

    test("is used by one of two concurrent requests, and the other one asks [S-28]", async () => {
      const { id } = await left();
      await there.answerQuestion(id, yes, { by });
      const answers = [here, there].map((desk) => desk.ask(request(), never));
      for (const each of answers) each.catch(() => {});
      expect(await Promise.race(answers)).toMatchObject(yes);
      await scene.asked(there);
      const used = (await scene.events()).filter(({ type }) => type === "approval.used");
      expect(used).toMatchObject([{ question: id }]);
    });

    test("an equal request joins the open question [S-28]", async () => {
      const { id } = await left();
      const answer = here.ask(request({ run: "r2" }), never);
      answer.catch(() => {});
      await expect.poll(() => there.listQuestions()).toHaveLength(1);
      await there.answerQuestion(id, yes, { by });
      expect(await answer).toMatchObject(yes);
      expect((await questionEvents()).map(({ type }) => type)).toEqual([
        "approval.asked",
        "approval.answered",
      ]);
    });

    test("is void after the time that approvals last [S-28]", async () => {
      const { id } = await left();
      await there.answerQuestion(id, yes, { by });
      scene.pass(defaultLimits.approvalMs);
      const answer = here.ask(request(), never);
      answer.catch(() => {});
      expect((await scene.asked(there)).map((each) => each.id)).not.toContain(id);
    });

    test("closing the gateway leaves the question open [S-28]", async () => {
      const { desk, id } = await left();
      await desk.close();
      expect((await there.listQuestions()).map((each) => each.id)).toEqual([id]);
    });
  });

  describe("a long log", () => {
    const fill = async (count: number) => {
      for (let left = count; left > 0; left -= 2000) {
        const events = Array.from({ length: Math.min(left, 2000) }, (_, index) => toEvent(`s${index}`));
        await scene.context.store.transaction((tx) => tx.appendAll(events));
      }
    };

    test("finds questions among many other events, at the start and after a pause [S-54]", async () => {
      const resting = await scene.openDesk();
      expect(await resting.listQuestions()).toEqual([]);
      const { id, answer } = await ask();
      await fill(10_001);
      const fresh = await scene.openDesk();
      for (const desk of [fresh, resting]) expect(await desk.listQuestions()).toHaveLength(1);
      await fresh.answerQuestion(id, yes, { by });
      expect(await answer).toMatchObject(yes);
      await fill(10_001);
      const last = await ask({ target: "last" });
      expect((await resting.listQuestions()).map((each) => each.id)).toEqual([last.id]);
    });
  });

  test("an approval of content applies at every gateway without another question [S-28] [S-64]", async () => {
    const { store, clock, ids, limits } = scene.context;
    const audit = {
      record: async (event: SkillEvent) => void (await store.transaction((tx) => tx.append(event))),
    };
    const approvalsOf = (asker: RegistryAsker) =>
      new Approvals({ store: registryApprovals(store), asker, clock, ids, audit, limits });
    const obtained = approvalsOf(here).obtain(request());
    const [question] = await scene.asked(there);
    await there.answerQuestion(question?.id ?? "", { answer: "approve", scope: "content" }, { by });
    const first = await obtained;
    expect(first).toMatchObject({ scope: "content", by: "root" });
    expect(await approvalsOf(there).obtain(request({ session: "other" }))).toEqual(first);
    expect(await questionEvents()).toHaveLength(2);
  });
});

function toEvent(session: string): SkillEvent {
  return { type: "session.closed", at: new Date().toISOString(), session };
}
