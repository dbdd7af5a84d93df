import { randomUUID } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import { grantSkill } from "@skillhold/registry/access";
import type { SkillAuthor } from "@skillhold/registry/record";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  answerOf,
  ask,
  type Changed,
  openTestGateway,
  problemOf,
  type TestGateway,
} from "./gateway.fixture.ts";
import { TestSession } from "./session.fixture.ts";
import { put } from "./skill.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let late = 0;
let writer: Headers;
let root: Headers;

beforeEach(async () => {
  late = 0;
  await openWith();
});
afterEach(() => gateway.close());

async function openWith(change: Pick<Changed, "author" | "promotion"> = {}): Promise<void> {
  gateway = await openTestGateway({ clock: { now: () => new Date(Date.now() + late) }, ...change });
  writer = await gateway.asRole("agent", "ada", "writer");
  root = await gateway.asRole("admin", "root");
}

/** Molecule's memory packet. */
const packet = (fields: object = {}, signal: object = {}) => ({
  title: "GitHub webhook ingress",
  summary: "Verify the signature of a webhook, then queue it.",
  promote_to_skill: true,
  repetition_signal: { count: 2, workflow: "github webhook ingress", ...signal },
  "what changed": "The check uses api_key=abcd1234efgh and ghp_0123456789abcdefghij.",
  "why it matters": "Forged calls are dropped.",
  ...fields,
});
const promote = (body: object, headers = writer, query = "") =>
  ask(gateway, "POST", `/v1/promotions${query}`, { headers, body });
const visible = async (headers: Headers) =>
  (await answerOf("listSkills", await ask(gateway, "GET", "/v1/skills", { headers }))).skills.map(
    ({ entry }) => entry.id,
  );

/** Records a session of an agent that ran a script, as the gateway records it. */
async function logSession(
  agent: string,
  { exitCode = 0, script = "scripts/queue.py" } = {},
): Promise<string> {
  const session = randomUUID();
  const at = new Date().toISOString();
  const hash = `sha256:${"0".repeat(64)}`;
  const run = { at, session, skill: "hooks", hash, run: "r1", target: script };
  const reach = { network: "none", mounts: [], secrets: [], sandbox: "none" };
  const end = { exitCode, outcome: "exited", durationMs: 1, outputBytes: 0, files: 0, sandbox: "none" };
  for (const event of [
    { type: "session.opened", at, session, runtime: "test", agent, task: "queue the webhook" },
    { type: "run.requested", ...run, trust: "user", args: ["--token", "s3cr3tvalue99"], ...reach },
    { type: "skill.script_executed", ...run, ...end, enforced: {} },
  ])
    await gateway.context.audit.record(SkillEvent.parse(event));
  return session;
}

test("a promoted skill is live for its agent alone, and a review gives it to others [S-50]", async () => {
  await logSession("writer");
  await logSession("writer");
  const promoted = await answerOf("promoteSkill", await promote(packet()));
  expect(promoted).toMatchObject({
    skill: "github-webhook-ingress",
    kind: "create",
    state: "pending",
    draft: "github-webhook-ingress-draft",
    repetition: { verdict: "proved", claimed: 2, found: 2 },
  });
  await expect.poll(() => visible(writer)).toEqual(["github-webhook-ingress-draft"]);
  expect(await visible(await gateway.asRole("agent", "ada", "helper"))).toEqual([]);
  expect(await visible(await gateway.asRole("agent", "bob", "other"))).toEqual([]);
  const { store } = gateway.registry;
  const draft = await store.findSkill("github-webhook-ingress-draft");
  const revision = await store.findRevision(draft?.uid ?? "", 1);
  const provenance = { source: "promotion", proposal: promoted.proposal };
  expect(revision).toMatchObject({ trust: "third_party", provenance });
  expect(revision?.frontmatter).not.toHaveProperty("allowed-tools");
  const review = `/v1/proposals/${promoted.proposal}`;
  const asAgent = await ask(gateway, "POST", `${review}/reviews`, {
    headers: writer,
    body: { decision: "approve" },
  });
  expect(await problemOf(asAgent)).toMatchObject({ code: "POLICY_DENIED" });
  await ask(gateway, "POST", `${review}/reviews`, { headers: root, body: { decision: "approve" } });
  await answerOf("applyProposal", await ask(gateway, "POST", `${review}/apply`, { headers: root }));
  await expect.poll(() => visible(writer)).toEqual(["github-webhook-ingress"]);
});

const DRAFT = "github-webhook-ingress-draft";

test.each([
  ["review", undefined, [], []],
  ["agent", DRAFT, [DRAFT], []],
  ["user", DRAFT, [DRAFT], [DRAFT]],
] as const)(
  "the policy %s says who has a promoted skill before its review [S-50]",
  async (promotion, draft, own, others) => {
    await gateway.close();
    await openWith({ promotion });
    await logSession("writer");
    await logSession("writer");
    const promoted = await answerOf("promoteSkill", await promote(packet()));
    expect(promoted).toMatchObject({ kind: "create", state: "pending", repetition: { verdict: "proved" } });
    expect(promoted.draft).toBe(draft);
    await expect.poll(() => visible(writer)).toEqual(own);
    const helper = await gateway.asRole("agent", "ada", "helper");
    await expect.poll(() => visible(helper)).toEqual(others);
    expect(await visible(await gateway.asRole("agent", "bob", "other"))).toEqual([]);
  },
);

test("secrets of the packet and of recorded runs are not in the draft [S-50]", async () => {
  await logSession("writer");
  await logSession("writer");
  const { proposal } = await answerOf("promoteSkill", await promote(packet()));
  const response = await ask(gateway, "GET", `/v1/proposals/${proposal}/diff`, { headers: root });
  const { files } = await answerOf("diffProposal", response);
  const text = files.map((file) => file.text ?? "").join("");
  expect(text).toContain("scripts/queue.py");
  expect(text).toContain("[redacted]");
  for (const secret of ["abcd1234efgh", "ghp_0123456789abcdefghij", "s3cr3tvalue99"])
    expect(text).not.toContain(secret);
});

test("the audit log proves or contradicts the claimed repetition [S-50]", async () => {
  const verdictOf = async (signal: object) =>
    (await answerOf("promoteSkill", await promote(packet({}, signal)))).repetition.verdict;
  expect(await verdictOf({ count: 3, workflow: "one" })).toBe("contradicted");
  const sessions = [await logSession("writer"), await logSession("writer")];
  const failed = await logSession("writer", { exitCode: 1 });
  const foreign = await logSession("helper");
  expect(await verdictOf({ workflow: "two", sessions })).toBe("proved");
  expect(await verdictOf({ workflow: "three", sessions: [...sessions, failed] })).toBe("contradicted");
  expect(await verdictOf({ workflow: "four", sessions: [...sessions, foreign] })).toBe("contradicted");
  expect(await verdictOf({ workflow: "five", sessions: [randomUUID(), randomUUID()] })).toBe("contradicted");
  expect(await verdictOf({ count: 3, workflow: "six" })).toBe("claimed");
});

test("a contradicted promotion is a proposal and not live [S-50]", async () => {
  const promoted = await answerOf("promoteSkill", await promote(packet()));
  expect(promoted.repetition.verdict).toBe("contradicted");
  expect(promoted.draft).toBeUndefined();
  expect(await visible(writer)).toEqual([]);
});

test("Molecule's activity and heartbeat are accepted, and the promotion is in flight [S-50] [S-56]", async () => {
  await logSession("writer");
  await logSession("writer");
  const body = {
    activity_type: "skill_promotion",
    method: "memory/skill-promotion",
    summary: "Verify the signature of a webhook, then queue it.",
    status: "ok",
    source_id: "writer",
    request_body: packet(),
    metadata: { source: "memory-curation", scope: "LOCAL", promote_to_skill: true, memory_packet: packet() },
  };
  const activity = await ask(gateway, "POST", "/workspaces/writer/activity", { headers: writer, body });
  const { result } = await answerOf("addActivity", activity);
  expect(result).toMatchObject({ skill: "github-webhook-ingress", repetition: { verdict: "proved" } });
  const heartbeat = {
    workspace_id: "writer",
    error_rate: 0,
    sample_error: "",
    active_tasks: 1,
    uptime_seconds: 0,
    current_task: "Skill promotion: webhook ingress",
  };
  const sent = await ask(gateway, "POST", "/registry/heartbeat", { headers: writer, body: heartbeat });
  await answerOf("sendHeartbeat", sent);
  const listed = async () =>
    (await answerOf("listPromotions", await ask(gateway, "GET", "/v1/promotions", { headers: root })))
      .promotions;
  expect(await listed()).toMatchObject([{ origin: "promotion", task: "Skill promotion: webhook ingress" }]);
  late = 16 * 60_000;
  const [after] = await listed();
  expect(after?.task).toBeUndefined();
  const stranger = await ask(gateway, "POST", "/workspaces/writer/activity", { body });
  expect(await problemOf(stranger)).toMatchObject({ code: "UNAUTHENTICATED" });
});

test("a workflow close to a skill that the agent sees becomes a change of it [S-50]", async () => {
  await put(gateway, "github-webhook-ingress");
  const by = { user: "ada", role: "publisher" } as const;
  await grantSkill("github-webhook-ingress", { kind: "agent", key: "writer" }, { by }, gateway.registry);
  await expect.poll(() => visible(writer)).toEqual(["github-webhook-ingress"]);
  const promoted = await answerOf("promoteSkill", await promote(packet()));
  expect(promoted).toMatchObject({ kind: "update", skill: "github-webhook-ingress" });
});

test.each([
  ["no flag", { promote_to_skill: false }, {}],
  ["a single repetition", {}, { count: 1 }],
  ["no workflow", {}, { workflow: "" }],
  ["no text", { title: undefined, summary: undefined, "what changed": undefined }, {}],
])("rejects a packet with %s [S-50]", async (_, fields, signal) => {
  expect(await problemOf(await promote(packet(fields, signal)))).toMatchObject({ code: "USAGE" });
});

test("an agent promotes with its tool, and a person names the agent [S-50]", async () => {
  await put(gateway, "own");
  const session = await TestSession.open(gateway, writer);
  const { promote_to_skill: _, "what changed": __, "why it matters": ___, ...input } = packet();
  expect(await session.call("promote_skill", input)).toMatchObject({ ok: true, data: { kind: "create" } });
  const owner = await gateway.asRole("publisher", "ada");
  expect(await problemOf(await promote(packet(), owner))).toMatchObject({ code: "USAGE" });
  await answerOf(
    "promoteSkill",
    await promote(packet({}, { workflow: "other work" }), owner, "?agent=writer"),
  );
  const stranger = await gateway.asRole("publisher", "mallory");
  const refused = await promote(packet(), stranger, "?agent=writer");
  expect(await problemOf(refused)).toMatchObject({ code: "AGENT_NOT_FOUND" });
});

test("an agent cannot write the draft of another agent [S-50]", async () => {
  const other = await gateway.asRole("agent", "bob", "other");
  for (const agent of ["writer", "writer", "other", "other"]) await logSession(agent);
  const first = await answerOf("promoteSkill", await promote(packet()));
  expect(first.draft).toBe("github-webhook-ingress-draft");
  const second = await answerOf("promoteSkill", await promote(packet({ summary: "Send it away." }), other));
  expect(second).toMatchObject({ kind: "create", state: "pending" });
  expect(second.draft).toBeUndefined();
  const { store } = gateway.registry;
  expect(await store.findSkill("github-webhook-ingress-draft")).toMatchObject({ revision: 1 });
  expect(await visible(other)).toEqual([]);
  const again = await answerOf("promoteSkill", await promote(packet({ summary: "Queue it twice." })));
  expect(again.draft).toBe("github-webhook-ingress-draft");
});

test("the configured author writes the draft, which others get only after a review [S-50]", async () => {
  const requests: unknown[] = [];
  const author: SkillAuthor = async (request) => {
    requests.push(request);
    return "---\nname: any\ndescription: Queue webhooks. Use when asked.\nallowed-tools: Bash\n---\n# Queue\n\nSend s3cr3t: token=abcd1234.\n";
  };
  await gateway.close();
  await openWith({ author });
  for (const agent of ["writer", "writer"]) await logSession(agent);
  const { proposal, draft } = await answerOf("promoteSkill", await promote(packet()));
  expect(draft).toBe("github-webhook-ingress-draft");
  const sent = JSON.stringify(requests);
  expect(sent).toContain("scripts/queue.py");
  for (const secret of ["abcd1234efgh", "ghp_0123456789abcdefghij", "s3cr3tvalue99"])
    expect(sent).not.toContain(secret);
  const response = await ask(gateway, "GET", `/v1/proposals/${proposal}/diff`, { headers: root });
  const { files } = await answerOf("diffProposal", response);
  const text = files.map((file) => file.text ?? "").join("");
  expect(text).toContain("# Queue");
  expect(text).toContain("name: github-webhook-ingress");
  expect(text).not.toMatch(/allowed-tools|abcd1234/);
  const second = await answerOf("promoteSkill", await promote(packet({ summary: "Again." })));
  expect(second).toMatchObject({ proposal, draft });
  expect(requests).toHaveLength(1);
});
