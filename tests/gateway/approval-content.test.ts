import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApprovalInbox } from "@skillhold/gateway";
import type { Actor } from "@skillhold/protocol";
import type { QuestionView } from "@skillhold/protocol/http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openFolderGateway } from "./folder.fixture.ts";
import { answerOf, ask, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { openRunningGateway, putFiles, TestSession } from "./session.fixture.ts";

const ada: Actor = { user: "ada", role: "publisher" };
const input = { skill_id: "asks", script: "scripts/say.sh" };

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await openRunningGateway();
});

afterEach(async () => {
  await gateway.close();
});

async function put(code: string | Uint8Array): Promise<void> {
  await putFiles(gateway, "asks", ada, { "scripts/say.sh": code });
}

async function run() {
  const session = await TestSession.open(gateway, await gateway.asRole("publisher", "ada"));
  return session.call("run_skill_script", input);
}

async function send(method: string, path: string, body?: object, agent?: string): Promise<Response> {
  const headers = await gateway.asRole("admin", "root", agent);
  return await ask(gateway, method, `/v1/approvals${path}`, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** The id of the question that waits. */
async function waiting(): Promise<string> {
  return await vi.waitFor(
    async () => {
      const [question] = (await answerOf("listQuestions", await send("GET", ""))).questions;
      if (question === undefined) throw new Error("No question waits.");
      return question.id;
    },
    { timeout: 120_000 },
  );
}

async function contentOf(question: string) {
  return await answerOf("getQuestionContent", await send("GET", `/${question}/content`));
}

/** Runs the script and answers its question. */
async function settle(body: object): Promise<void> {
  const running = run();
  await send("POST", `/${await waiting()}`, body);
  await running;
}

const yes = { answer: "approve", scope: "once" };
const no = { answer: "deny" };

test("a question shows its own code, also after the skill was published again [S-28]", async () => {
  await put("echo one\n");
  const running = run();
  const question = await waiting();
  await put("echo two\n");
  const content = await contentOf(question);
  expect(content.code).toEqual({ path: "scripts/say.sh", bytes: 9, isCut: false, text: "echo one\n" });
  expect([content.approved, content.changes]).toEqual([undefined, undefined]);
  await send("POST", `/${question}`, no);
  await running;
  expect(await problemOf(await send("GET", `/${question}/content`))).toMatchObject({
    code: "QUESTION_NOT_FOUND",
  });
});

test("a question shows the changes since the last approved content, not since the last revision [S-28]", async () => {
  await put("echo one\n");
  await settle(yes);
  await put("echo two\n");
  await settle(no);
  await put("echo three\n");
  const running = run();
  const question = await waiting();
  const { approved, changes, treeHash } = await contentOf(question);
  expect(approved).toMatchObject({ by: "root" });
  expect(approved?.treeHash).not.toBe(treeHash);
  expect(changes).toMatchObject([{ path: "scripts/say.sh", change: "changed" }]);
  expect(changes?.[0]?.text).toContain("-echo one\n+echo three\n");
  await send("POST", `/${question}`, yes);
  await running;
  const again = run();
  const unchanged = await contentOf(await waiting());
  expect(unchanged).toMatchObject({ approved: { treeHash }, changes: [] });
  await send("POST", `/${await waiting()}`, no);
  await again;
});

test("long code is cut, binary code has no text, and agents are refused [S-28] [S-53]", async () => {
  await put(`# ${"é".repeat(40_000)}\n`);
  const running = run();
  const question = await waiting();
  const { code } = await contentOf(question);
  expect(code).toMatchObject({ bytes: 80_003, isCut: true });
  expect(Buffer.byteLength(code?.text ?? "")).toBe(64 * 1024);
  expect(await problemOf(await send("GET", `/${question}/content`, undefined, "helper"))).toMatchObject({
    code: "FORBIDDEN",
  });
  await send("POST", `/${question}`, no);
  await running;
  await put(Buffer.from([0x23, 0, 1, 0x0a]));
  const binary = run();
  const asked = await waiting();
  expect((await contentOf(asked)).code).toEqual({ path: "scripts/say.sh", bytes: 4, isCut: false });
  await send("POST", `/${asked}`, no);
  await binary;
});

test("a purged approval base is named but not compared [S-28]", async () => {
  await put("echo one\n");
  await settle(yes);
  await put("echo two\n");
  const { store } = gateway.registry;
  const skill = await store.findSkill("asks");
  await store.transaction((tx) => tx.markPurged(skill?.uid ?? "", 1, new Date().toISOString()));
  const running = run();
  const question = await waiting();
  const { code, approved, changes } = await contentOf(question);
  expect([code?.text, approved?.by, changes]).toEqual(["echo two\n", "root", undefined]);
  await send("POST", `/${question}`, no);
  await running;
});

test("the code of a skill in a folder is shown only while the folder has that content [S-28]", async () => {
  const questions: Omit<QuestionView, "mayAnswer">[] = [];
  const inbox: ApprovalInbox = {
    ask: () => Promise.reject(new Error("No run asks here.")),
    list: async () => questions,
    answer: () => Promise.reject(new Error("No run asks here.")),
  };
  const text = "---\nname: local\ndescription: About local.\n---\nDo it.\n";
  const files = { "local/SKILL.md": text, "local/scripts/say.sh": "echo one\n" };
  const folders = await openFolderGateway(files, { inbox });
  const headers = await folders.asRole("admin", "root");
  const get = (path: string) => ask(folders, "GET", path, { headers });
  const { treeHash } = await answerOf("listFiles", await get("/v1/skills/local/files"));
  const at = new Date().toISOString();
  questions.push({
    id: "q",
    askedAt: at,
    expiresAt: at,
    skill: "local",
    treeHash,
    trust: "user",
    requester: {},
    act: "run_script",
    target: "scripts/say.sh",
    args: [],
    network: "none",
    mounts: [],
    secrets: [],
    sandbox: "bubblewrap",
    session: "s",
    run: "r",
    rule: "user",
    reason: "A user skill.",
  });
  const read = async () => await answerOf("getQuestionContent", await get("/v1/approvals/q/content"));
  expect((await read()).code?.text).toBe("echo one\n");
  await writeFile(join(folders.root, "local/scripts/say.sh"), "echo two\n");
  await vi.waitFor(async () => expect(await read()).toEqual({ question: "q", treeHash }), 120_000);
  await folders.close();
});
