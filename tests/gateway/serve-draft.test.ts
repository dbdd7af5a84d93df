import { routeTable } from "@skillhold/protocol/http";
import { byConversation, type ModelReply, type ModelServer, startModelServer } from "@skillhold/testing";
import { afterEach, expect, test } from "vitest";
import type { z } from "zod";
import { listIds, type RunningGateway, ServeScene, tokenOf, upload } from "./serve.fixture.ts";

const scene = new ServeScene();
let model: ModelServer | undefined;
afterEach(async () => {
  await scene.close();
  await model?.close();
});

const IN_PACKET = "ghp_0123456789abcdefghij";
const IN_TASK = "s3cr3tvalue99";
const IN_DRAFT = "abcd1234efgh5678";
const secrets = [IN_PACKET, IN_TASK, IN_DRAFT];

const packet = {
  title: "GitHub webhook ingress",
  summary: "Verify the signature of a webhook, then queue it.",
  promote_to_skill: true,
  repetition_signal: { count: 2, workflow: "github webhook ingress" },
  "what changed": `The check uses ${IN_PACKET}.`,
  "why it matters": "Forged calls are dropped.",
};

type Headers = Readonly<Record<string, string>>;

/** Calls a route and returns the response in the shape of its row. */
async function send<Answer>(
  { url }: RunningGateway,
  row: { readonly method: string; readonly answer: z.ZodType<Answer> },
  path: string,
  headers: Headers,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: row.method,
    headers: { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return row.answer.parse(await response.json());
}

/** A gateway whose model answers as scripted, with an agent that repeated a workflow twice. */
async function openWith(replies: readonly ModelReply[]) {
  model = await startModelServer(byConversation({ "promotion packet": replies }));
  const env = { SKILLHOLD_MODEL_URL: `${model.url}/v1`, SKILLHOLD_MODEL_KEY: "model-key" };
  const gateway = await scene.serve(["--no-seed", "--draft-model", "fake"], { env });
  const admin = await tokenOf(gateway);
  await upload(gateway.url, "hooks", admin);
  await send(gateway, routeTable.addAgent, "/v1/agents", admin, { key: "writer", runtime: "test" });
  await send(gateway, routeTable.putGrant, "/v1/skills/hooks/grants/agent/writer", admin, {});
  const issue = { name: "writer", role: "agent", agent: "writer" };
  const { secret } = await send(gateway, routeTable.issueToken, "/v1/tokens", admin, issue);
  const agent = { authorization: `Bearer ${secret}` };
  for (const _ of [1, 2]) {
    const body = { task: `Queue the webhook with token=${IN_TASK}` };
    const { session } = await send(gateway, routeTable.openSession, "/v1/sessions", agent, body);
    const read = { skill_id: "hooks" };
    await send(gateway, routeTable.callTool, `/v1/sessions/${session}/tools/read_skill`, agent, read);
  }
  return { gateway, admin, agent, model };
}

/** Sends the packet as Molecule does: an activity, then a heartbeat. */
async function promote(gateway: RunningGateway, agent: Headers) {
  const activity = {
    activity_type: "skill_promotion",
    method: "memory/skill-promotion",
    summary: packet.summary,
    status: "ok",
    source_id: "writer",
    request_body: packet,
    metadata: { source: "memory-curation", scope: "LOCAL", promote_to_skill: true, memory_packet: packet },
  };
  const beat = {
    workspace_id: "writer",
    error_rate: 0,
    sample_error: "",
    active_tasks: 1,
    uptime_seconds: 0,
  };
  const path = "/workspaces/writer/activity";
  const { result } = await send(gateway, routeTable.addActivity, path, agent, activity);
  await send(gateway, routeTable.sendHeartbeat, "/registry/heartbeat", agent, {
    ...beat,
    current_task: `Skill promotion: ${packet.summary}`,
  });
  return result;
}

async function proposedText(gateway: RunningGateway, admin: Headers): Promise<string> {
  const { promotions } = await send(gateway, routeTable.listPromotions, "/v1/promotions", admin);
  const [promotion] = promotions;
  expect(promotion?.task).toContain("Skill promotion: Verify");
  const path = `/v1/proposals/${promotion?.id}/diff`;
  const { files } = await send(gateway, routeTable.diffProposal, path, admin);
  return files.map((file) => file.text ?? "").join("");
}

test("serve --draft-model lets a model write the draft of a packet, without secrets [S-50]", async () => {
  const content = `---\nname: any\ndescription: Queue GitHub webhooks. Use for webhook calls.\nallowed-tools: Bash\n---\n# Queue webhooks\n\nCheck it with api_key=${IN_DRAFT}.\n`;
  const { gateway, admin, agent, model } = await openWith([
    { calls: [{ name: "read_skill", input: { skill_id: "skill-authoring" } }] },
    { calls: [{ name: "read_file", input: { path: "packet.json" } }] },
    { calls: [{ name: "read_file", input: { path: "sessions.json" } }] },
    { calls: [{ name: "write_file", input: { path: "SKILL.md", content } }] },
    { text: "The skill is written." },
  ]);
  const result = await promote(gateway, agent);
  expect(result).toMatchObject({
    kind: "create",
    skill: "github-webhook-ingress",
    draft: "github-webhook-ingress-draft",
    repetition: { verdict: "proved", claimed: 2, found: 2 },
  });
  const text = await proposedText(gateway, admin);
  expect(text).toContain("# Queue webhooks");
  expect(text).toContain("Queue GitHub webhooks. Use for webhook calls.");
  expect(text).toContain("[redacted]");
  expect(text).not.toContain("allowed-tools");
  await expect
    .poll(async () => (await listIds(gateway.url, agent)).toSorted())
    .toEqual(["github-webhook-ingress-draft", "hooks"]);

  expect(model.requests.map(({ headers }) => headers["authorization"])).toEqual(
    Array(5).fill("Bearer model-key"),
  );
  const sent = JSON.stringify(model.requests.map(({ body }) => body));
  expect(sent).toContain("Verify the signature of a webhook");
  expect(sent).not.toContain(IN_PACKET);
  expect(sent).not.toContain(IN_TASK);
  for (const secret of secrets) expect(text + gateway.command.err).not.toContain(secret);
});

test("a draft comes from the template where the model fails, and the log says why [S-50]", async () => {
  const { gateway, admin, agent } = await openWith([{ status: 400, message: "The fake model is unwell." }]);
  expect(await promote(gateway, agent)).toMatchObject({ draft: "github-webhook-ingress-draft" });
  const text = await proposedText(gateway, admin);
  expect(text).toContain("Verify the signature of a webhook");
  for (const secret of secrets) expect(text).not.toContain(secret);
  await expect.poll(() => gateway.command.err).toContain("promotion.template");
});
