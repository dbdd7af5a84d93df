import { addAgent, grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { TestSession } from "./session.fixture.ts";
import { asker, engines, openOn, put, skillText } from "./skill.fixture.ts";

const ada = { user: "ada", role: "publisher" } as const;

describe.each(engines)("proposals over HTTP on %s", (engine) => {
  let gateway: TestGateway;
  let owner: ReturnType<typeof asker>;
  let root: ReturnType<typeof asker>;
  let writer: Awaited<ReturnType<TestGateway["asRole"]>>;
  let agent: ReturnType<typeof asker>;
  beforeEach(async () => {
    gateway = await openOn(engine);
    owner = asker(gateway, await gateway.asRole("publisher", "ada"));
    root = asker(gateway, await gateway.asRole("admin", "root"));
    await put(gateway, "own", { files: { "notes.md": "one\n\ntwo\n" } });
    await addAgent({ key: "writer", runtime: "test" }, { by: ada }, gateway.registry);
    await grantSkill("own", { kind: "agent", key: "writer" }, { by: ada }, gateway.registry);
    writer = await gateway.asRole("agent", "ada", "writer");
    agent = asker(gateway, writer);
  });
  afterEach(() => gateway.close());

  const update = (word = "zwei") => ({
    skill_id: "own",
    justification: "The notes are wrong.",
    edits: [{ path: "notes.md", old: "two", new: word }],
  });
  const proposeAs = async (headers: typeof writer, word?: string) => {
    const session = await TestSession.open(gateway, headers);
    await session.call("read_skill", { skill_id: "own" });
    const result = await session.call("propose_skill_update", update(word));
    expect(result).toMatchObject({ ok: true, data: { skill: "own", kind: "update" } });
    return (result as { data: { id: string } }).data.id;
  };
  const show = async (ask: typeof owner, id: string) =>
    await answerOf("getProposal", await ask("GET", `/v1/proposals/${id}`));
  const review = (ask: typeof owner, id: string, decision: string) =>
    ask("POST", `/v1/proposals/${id}/reviews`, { body: { decision, comment: "Seen." } });
  const apply = (ask: typeof owner, id: string) => ask("POST", `/v1/proposals/${id}/apply`);
  const revision = async () => (await gateway.registry.store.findSkill("own"))?.revision;

  test("an agent that has not read the skill is asked to read it first [S-49]", async () => {
    const session = await TestSession.open(gateway, writer);
    expect(await session.call("propose_skill_update", update())).toMatchObject({
      ok: false,
      error: { code: "POLICY_DENIED", message: expect.stringContaining("Read it first") },
    });
    expect(await session.recorded()).toContain("skill.denied");
    expect(await gateway.registry.store.listProposals({ limit: 1 })).toEqual([]);
  });

  test("a change in the form of another agent's tool is the same proposal [S-49]", async () => {
    const session = await TestSession.open(gateway, writer);
    await session.call("read_skill", { skill_id: "own" });
    const native = { skill_id: "own", justification: "Say more.", body: "Do it twice.\n" };
    const first = await session.call("propose_skill_update", native);
    expect(first).toMatchObject({ ok: true, data: { kind: "update", isNew: true } });
    const same = { ok: true, data: { id: (first as { data: { id: string } }).data.id, isNew: false } };
    const content = skillText("own", "Do it twice.");
    const description = "Does own things.";
    const improvement = { name: "own", kind: "improvement", target: "own", description, skillMd: content };
    const update = { action: "update", skill_name: "own", proposal_content: "Do it twice.\n" };
    expect(await session.call("ProposeSkills", { proposals: [improvement] })).toMatchObject(same);
    expect(await session.call("skill_workshop", update)).toMatchObject(same);
    expect(await session.call("skill_manage", { action: "edit", name: "own", content })).toMatchObject(same);
    expect(await session.call("propose_skill_update", update)).toMatchObject(same);
    const fresh = { action: "create", name: "fresh", content: skillText("fresh") };
    expect(await session.call("skill_manage", fresh)).toMatchObject({ ok: true, data: { kind: "create" } });
    expect(await session.call("skill_manage", { action: "delete", name: "own" })).toMatchObject({
      ok: false,
      error: { code: "USAGE", message: expect.stringContaining("not a proposal") },
    });
  });

  test("an agent proposes, the owner approves and applies, and the agent cannot [S-49]", async () => {
    const id = await proposeAs(writer);
    expect(await show(agent, id)).toMatchObject({
      state: "pending",
      author: { user: "ada", agent: "writer", role: "agent" },
      may: { approve: false, reject: false, apply: false, withdraw: true },
    });
    expect(await problemOf(await review(agent, id, "approve"))).toMatchObject({ code: "POLICY_DENIED" });
    expect(await problemOf(await apply(owner, id))).toMatchObject({ code: "APPROVAL_REQUIRED" });
    const listed = await answerOf("listProposals", await owner("GET", "/v1/proposals?waiting=true"));
    expect(listed.proposals).toMatchObject([{ id, may: { approve: true, apply: false } }]);
    expect(await answerOf("reviewProposal", await review(owner, id, "approve"))).toMatchObject({
      state: "approved",
      may: { apply: true },
    });
    expect(await problemOf(await apply(agent, id))).toMatchObject({ code: "FORBIDDEN" });
    const done = await answerOf("applyProposal", await apply(owner, id));
    expect(done).toMatchObject({ state: "applied", applied: { revision: 2, by: { user: "ada" } } });
    await answerOf("applyProposal", await apply(owner, id));
    expect(await revision()).toBe(2);
    const after = await answerOf("listProposals", await owner("GET", "/v1/proposals?waiting=true"));
    expect(after.proposals).toEqual([]);
  });

  test("shows the changes, the reviews and the findings [S-49] [S-52]", async () => {
    const id = await proposeAs(writer);
    await review(root, id, "request_changes");
    const diff = await answerOf("diffProposal", await owner("GET", `/v1/proposals/${id}/diff`));
    expect(diff.files).toMatchObject([{ path: "notes.md", change: "changed" }]);
    expect(diff.files[0]?.text).toContain("+zwei");
    const shown = await show(owner, id);
    expect(shown.reviews).toMatchObject([
      { by: { user: "root" }, decision: "request_changes", comment: "Seen.", isCurrent: true },
    ]);
    expect(JSON.stringify(shown)).not.toContain("token");
  });

  test("a changed proposal is not reviewed with an old ETag or candidate [S-49]", async () => {
    const id = await proposeAs(writer);
    const first = await owner("GET", `/v1/proposals/${id}`);
    const etag = first.headers.get("etag") ?? "";
    const { candidate } = await answerOf("getProposal", first);
    await put(gateway, "own", { files: { "notes.md": "zero\n\none\n\ntwo\n" } });
    expect(await show(owner, id)).toMatchObject({ state: "stale", may: { approve: false, rebase: true } });
    const body = { decision: "approve" };
    const old = await owner("POST", `/v1/proposals/${id}/reviews`, { body, headers: { "if-match": etag } });
    expect(await problemOf(old)).toMatchObject({ code: "PRECONDITION_FAILED" });
    expect(await problemOf(await review(owner, id, "approve"))).toMatchObject({ code: "PROPOSAL_STALE" });
    const rebased = await answerOf("rebaseProposal", await owner("POST", `/v1/proposals/${id}/rebase`));
    expect(rebased).toMatchObject({ state: "pending", generation: 2 });
    const other = await owner("POST", `/v1/proposals/${id}/reviews`, { body: { ...body, candidate } });
    expect(await problemOf(other)).toMatchObject({ code: "PRECONDITION_FAILED" });
    await review(owner, id, "approve");
    await answerOf("applyProposal", await apply(owner, id));
    expect(await revision()).toBe(3);
  });

  test("a proposal does not exist for others, and lists have pages [S-49]", async () => {
    const ids = [await proposeAs(writer, "a"), await proposeAs(writer, "b"), await proposeAs(writer, "c")];
    const stranger = asker(gateway, await gateway.asRole("publisher", "mallory"));
    expect(await problemOf(await stranger("GET", `/v1/proposals/${ids[0]}`))).toMatchObject({
      code: "PROPOSAL_NOT_FOUND",
    });
    const none = await answerOf("listProposals", await stranger("GET", "/v1/proposals"));
    expect(none.proposals).toEqual([]);
    const first = await answerOf("listProposals", await owner("GET", "/v1/proposals?limit=2"));
    const cursor = encodeURIComponent(first.nextCursor ?? "");
    const rest = await answerOf(
      "listProposals",
      await owner("GET", `/v1/proposals?limit=2&cursor=${cursor}`),
    );
    expect([...first.proposals, ...rest.proposals].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(rest.nextCursor).toBeUndefined();
  });

  test("a person proposes for the content that they read, and cannot approve it [S-49]", async () => {
    const { treeHash } = (await gateway.registry.store.findSkill("own")) ?? {};
    const body = { skill: "own", files: [{ path: "new.md", content: "New." }], justification: "More." };
    expect(await problemOf(await owner("POST", "/v1/proposals", { body }))).toMatchObject({ code: "USAGE" });
    const response = await owner("POST", "/v1/proposals", { body: { ...body, base: treeHash } });
    const { id } = await answerOf("createProposal", response);
    expect(await problemOf(await review(owner, id, "approve"))).toMatchObject({ code: "POLICY_DENIED" });
    await answerOf("reviewProposal", await review(root, id, "approve"));
    // The author manages the skill and applies what another person approved.
    expect(await answerOf("applyProposal", await apply(owner, id))).toMatchObject({ state: "applied" });
  });

  test("the author withdraws a proposal, and it ends [S-49]", async () => {
    const id = await proposeAs(writer);
    const withdrawn = await agent("POST", `/v1/proposals/${id}/withdraw`);
    expect(await answerOf("withdrawProposal", withdrawn)).toMatchObject({ state: "withdrawn" });
    expect(await problemOf(await review(owner, id, "approve"))).toMatchObject({ code: "CONFLICT" });
  });
});
