import type { Client } from "@modelcontextprotocol/client";
import { memoryApprovals } from "@skillhold/core/approval";
import { afterAll, describe, expect, test } from "vitest";
import { connectOld, openHttp, openSkills, skill, textOf } from "./server.fixture.ts";

const demo = () => skill("demo", { files: { "scripts/a.sh": "echo ran $1" } });
const call = {
  name: "run_skill_script",
  arguments: { skill_id: "demo", script: "a.sh", args: ["x"] },
};

type Answer = { action: "accept" | "decline" | "cancel"; content?: { decision: string } };

/** Lets a client's user answer so, and keeps the questions. */
function answering(client: Client, answer: () => Answer | Promise<Answer>): string[] {
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.message);
    return await answer();
  });
  return asked;
}

const elicitation = { capabilities: { elicitation: { form: {} } } };
const revisions = ["2025-11-25", "2026-07-28"] as const;
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function start(revision: (typeof revisions)[number], options = elicitation as object) {
  const fixture = openSkills([demo()], { runs: {} });
  const { connect, handler } = openHttp(fixture.skills);
  closing.push(() => handler.close());
  return { ...fixture, client: await connect(revision, options) };
}

describe.each(revisions)("an approval through a client of %s", (revision) => {
  test("is asked for with all details and allows one run [S-28] [S-57]", async () => {
    const { client, events } = await start(revision);
    const asked = answering(client, () => ({ action: "accept", content: { decision: "approve once" } }));
    expect(textOf(await client.callTool(call))).toContain("ran x\n");
    expect(asked).toEqual([
      expect.stringMatching(/Skill: demo\nContent: sha256:[\s\S]*Act: run scripts\/a\.sh\nArguments: x/),
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "approval.granted", scope: "once", by: "ada through tester" }),
    );
    await client.callTool(call);
    expect(asked).toHaveLength(2);
  });

  test("for any arguments is valid for other arguments until the skill changes [S-28]", async () => {
    const { client, library } = await start(revision);
    const asked = answering(client, () => ({
      action: "accept",
      content: { decision: "approve with any arguments" },
    }));
    await client.callTool(call);
    const other = { ...call, arguments: { ...call.arguments, args: ["y"] } };
    expect(textOf(await client.callTool(other))).toContain("ran y\n");
    expect(asked).toHaveLength(1);
    library.replace([skill("demo", { files: { "scripts/a.sh": "echo changed" } })]);
    expect(textOf(await client.callTool(call))).toContain("changed\n");
    expect(asked).toHaveLength(2);
  });

  test.each([
    [{ action: "accept", content: { decision: "deny" } }, "APPROVAL_DENIED"],
    [{ action: "decline" }, "APPROVAL_DENIED"],
    [{ action: "cancel" }, "APPROVAL_REQUIRED"],
  ] as const)("that is answered by %j runs nothing [S-28]", async (answer, code) => {
    const { client, events } = await start(revision);
    answering(client, () => answer);
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code } },
    });
    expect(events.map(({ type }) => type)).not.toContain("skill.script_executed");
  });

  test("is not called a person's denial when the client declined [S-28]", async () => {
    const { client } = await start(revision);
    const answers = [{ action: "decline" }, { action: "accept", content: { decision: "deny" } }] as const;
    const texts: string[] = [];
    for (const answer of answers) {
      answering(client, () => answer);
      texts.push(textOf(await client.callTool(call)));
    }
    expect(texts[0]).toMatch(/The client declined .*may not have asked a person.*`skillhold approve demo`/s);
    expect(texts[1]).toMatch(/Denied by .*: run .*A person denied the request/s);
  });

  test("is rejected with a hint when the client cannot ask [S-28] [S-57]", async () => {
    const { skills } = openSkills([demo()], { runs: {}, settings: { approvalHint: "Approve it by hand." } });
    const { connect, handler } = openHttp(skills);
    closing.push(() => handler.close());
    const client = await connect(revision);
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      _meta: { "skillhold/error": { code: "APPROVAL_REQUIRED", hint: "Approve it by hand." } },
    });
  });
});

test("uses the host's approver when the client cannot ask [S-28]", async () => {
  const { skills } = openSkills([demo()], {
    runs: {},
    asker: { ask: async () => ({ answer: "approve", scope: "once", by: "the inbox" }) },
  });
  const { client } = await connectOld(skills);
  expect(textOf(await client.callTool(call))).toContain("ran x\n");
});

test.each(revisions)(
  "a client of %s is notified that the call waits for an approval [S-28] [S-57]",
  async (revision) => {
    const heard = Promise.withResolvers<void>();
    const ask = async () => {
      await heard.promise;
      return { answer: "approve", scope: "once", by: "the inbox" } as const;
    };
    const { connect, handler } = openHttp(openSkills([demo()], { runs: {}, asker: { ask } }).skills);
    closing.push(() => handler.close());
    const onprogress = ({ message }: { readonly message?: string | undefined }) => {
      if (message === "Waiting for an approval.") heard.resolve();
    };
    const result = await (await connect(revision)).callTool(call, { onprogress });
    expect(textOf(result)).toContain("ran x\n");
  },
);

test("rejects an answer to another question and a forged answer [S-28]", async () => {
  const fixture = openSkills([demo()], { runs: { approvals: memoryApprovals() } });
  const { connect, handler, who } = openHttp(fixture.skills);
  closing.push(() => handler.close());
  const yes = { action: "accept", content: { decision: "approve once" } } as const;
  const client = await connect("2026-07-28", elicitation);
  const first = await client.request({ method: "tools/call", params: call }, { allowInputRequired: true });
  if (!("requestState" in first)) throw new Error("nothing was asked");
  const retry = (params: object, by = client) =>
    by.request({ method: "tools/call", params: { ...call, ...params } }, { allowInputRequired: true });
  const { requestState } = first;
  const inputResponses = { approval: yes };
  const other = { arguments: { ...call.arguments, args: ["other"] } };
  expect(await retry({ ...other, requestState, inputResponses })).toHaveProperty("inputRequests");
  await expect(retry({ requestState: `${requestState}x`, inputResponses })).rejects.toMatchObject({
    code: -32602,
  });
  expect(await retry({ inputResponses })).toHaveProperty("inputRequests");
  const unclear = { approval: { action: "accept", content: { decision: "yes" } } };
  expect(await retry({ requestState, inputResponses: unclear })).toMatchObject({
    isError: true,
    _meta: { "skillhold/error": { code: "APPROVAL_REQUIRED" } },
  });
  const stranger = await connect("2026-07-28", elicitation, { ...who, key: "token-2" });
  await expect(retry({ requestState, inputResponses }, stranger)).rejects.toMatchObject({ code: -32602 });
  expect(fixture.events.map(({ type }) => type)).not.toContain("skill.script_executed");
  expect(JSON.stringify(await retry({ requestState, inputResponses }))).toContain("exit code 0");
});
