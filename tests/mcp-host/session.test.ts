import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApprovalRequest, type Asker, describeRequest } from "@skillhold/core/approval";
import { catalogueFormats, renderCatalogue } from "@skillhold/core/catalogue";
import type { GuardOptions } from "@skillhold/core/policy";
import { callSkillTool, openSession, type Session, skillTools } from "@skillhold/core/session";
import { nodeHost } from "@skillhold/core/source";
import { fixturePorts } from "@skillhold/core/test/session/session.fixture";
import { type McpLibrary, openMcpLibrary } from "@skillhold/mcp/host";
import { fixtureRuns } from "@skillhold/sandbox/test/run/run.fixture";
import { afterEach, beforeEach, expect, test } from "vitest";
import { entryOf, type FileMap, honest, type RunningServer, serveHttp, skillText } from "./skill-server.ts";

const viewer = { runtime: "test", agent: "writer" };
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const closing: (() => Promise<void>)[] = [];
const asked: ApprovalRequest[] = [];
let files: FileMap;
let server: RunningServer;
let cache: string;

/** Approves the content and stores the requests. */
const asker: Asker = {
  ask: async (request) => {
    asked.push(request);
    return { answer: "approve", scope: "content", by: "someone" };
  },
};

beforeEach(async () => {
  const fields = "allowed-tools: Read Bash(git:*)";
  const text = skillText("hello", "Greets.", "# Greet\n").replace("---\n#", `${fields}\n---\n#`);
  files = {
    "SKILL.md": text,
    "scripts/hello.sh": "echo hello $1\n",
    "examples/one.md": "An example.",
    "links.yaml": "- title: A\n  url: https://a.example\n",
  };
  const frontmatter = { name: "hello", description: "Greets.", "allowed-tools": "Read Bash(git:*)" };
  server = await serveHttp(
    honest(
      () => ({ hello: files }),
      () => [entryOf("hello", files, frontmatter)],
    ),
  );
  cache = mkdtempSync(join(tmpdir(), "skillhold-mcp-session-"));
  asked.length = 0;
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await server.close();
  rmSync(cache, { recursive: true, force: true });
});

async function library(label = "acme"): Promise<McpLibrary> {
  const source = { label, server: { url: server.url } };
  const opened = await openMcpLibrary(source, { host, cache, clock: { now: () => new Date() } });
  closing.push(() => opened.close());
  return opened;
}

const runs = fixtureRuns({ asker });

async function session(of?: McpLibrary, guard?: GuardOptions): Promise<Session> {
  const ports = { ...fixturePorts(), runs };
  const opened = await openSession(
    of ?? (await library()),
    viewer,
    ports,
    guard === undefined ? {} : { guard },
  );
  closing.push(() => opened.close());
  return opened;
}

test("shows the server of a skill wherever the skill is listed or read [S-57]", async () => {
  const of = await library();
  const entries = await of.list(viewer);
  for (const format of catalogueFormats)
    expect(renderCatalogue(entries, { format, locations: true }).text).toContain("mcp:acme");
  expect(renderCatalogue(entries, { format: "xml", locations: true }).text).not.toContain("location");
  const open = await session(of);
  const read = await callSkillTool(skillTools(open), "read_skill", { skill_id: "hello" });
  expect(read.text).toMatch(/<skill_content [^>]*trust="third_party" origin="mcp:acme">/);
  expect(read.text).toContain("third-party content");
  const resource = await callSkillTool(skillTools(open), "read_skill_resource", {
    skill_id: "hello",
    path: "examples/one.md",
  });
  expect(resource.text).toMatch(/<skill_file [^>]*origin="mcp:acme">/);
  for (const tool of ["list_skills", "search_skills"])
    expect((await callSkillTool(skillTools(open), tool, { query: "greets" })).text).toContain(
      "from mcp:acme",
    );
});

test("activating a skill fetches only its SKILL.md [S-57]", async () => {
  const open = await session();
  await open.activate("hello");
  expect(server.reads).toEqual(["skill://hello/SKILL.md"]);
});

test("allowed-tools of a remote skill restrict tools and grant no permission [S-30] [S-57]", async () => {
  const granted = await session(undefined, { mode: "preapprove" });
  await granted.activate("hello");
  expect(await granted.guard("Bash", { command: "git status" })).toEqual({ verdict: "default" });
  const limited = await session();
  await limited.activate("hello");
  expect(await limited.guard("Write", { path: "x" })).toMatchObject({ verdict: "blocked" });
});

test("runs a remote script only after an approval of this content of this server [S-28] [S-57]", async () => {
  const open = await session();
  expect(await open.run("hello", "scripts/hello.sh", { args: ["You"] })).toMatchObject({
    stdout: "hello You\n",
  });
  await open.run("hello", "scripts/hello.sh", { args: ["Again"] });
  expect(asked).toHaveLength(1);
  expect(describeRequest(asked[0] as ApprovalRequest)).toContainEqual({
    label: "Origin",
    value: `"mcp:acme skill://hello"`,
  });

  const other = await session(await library("other"));
  await other.run("hello", "scripts/hello.sh");
  expect(asked.map(({ origin }) => origin)).toEqual(["mcp:acme skill://hello", "mcp:other skill://hello"]);
  expect(asked[1]?.treeHash).toBe(asked[0]?.treeHash);

  const before = files;
  files = { ...files, "scripts/hello.sh": "echo changed\n" };
  expect(await (await session()).run("hello", "scripts/hello.sh")).toMatchObject({ stdout: "changed\n" });
  expect(asked).toHaveLength(3);
  // The approval from before the change stays invalid when the old content returns.
  files = before;
  await (await session()).run("hello", "scripts/hello.sh");
  expect(asked).toHaveLength(4);
});
