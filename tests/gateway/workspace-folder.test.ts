import { generateKeyPairSync } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol/limits";
import { WorkspaceHost } from "@skillhold/registry/workspace";
import { afterEach, beforeEach, expect, test } from "vitest";
import { answerOf, ask, openTestGateway, problemOf, putSkill, type TestGateway } from "./gateway.fixture.ts";

type Headers = Readonly<Record<string, string>>;
let gateway: TestGateway;
let root: string;
let ann: Headers;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-hosted-")));
  gateway = await openTestGateway({
    workspaces: new WorkspaceHost(root, defaultLimits),
    cardKey: generateKeyPairSync("ed25519").privateKey,
  });
  await gateway.asRole("agent", "ann", "seo");
  ann = await gateway.asRole("publisher", "ann");
  mkdirSync(join(root, "seo"));
  writeFileSync(
    join(root, "seo/config.yaml"),
    "# The SEO team\nname: SEO # shown\nskills:\n  - gone # soon\n",
  );
});
afterEach(async () => {
  await gateway.close();
  rmSync(root, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: object, headers: Headers = ann) =>
  ask(gateway, method, path, { headers, ...(body === undefined ? {} : { body }) });
const configText = () => readFileSync(join(root, "seo/config.yaml"), "utf8");

test("a drop copies the skill, lists it with comments kept, and updates the card at once [S-56]", async () => {
  await putSkill(gateway, "pdf", "ann");
  const view = await answerOf(
    "addWorkspaceSkill",
    await call("POST", "/v1/workspaces/seo/skills", { skill: "pdf" }),
  );
  expect(view).toMatchObject({ name: "SEO", hasFolder: true, skills: [{ id: "pdf" }] });
  expect(view.problems).toMatchObject([{ code: "file-missing" }, { code: "skill-missing", subject: "gone" }]);
  expect(configText()).toBe("# The SEO team\nname: SEO # shown\nskills:\n  - gone # soon\n  - pdf\n");
  expect(readFileSync(join(root, "seo/skills/pdf/SKILL.md"), "utf8")).toContain("About pdf.");
  expect(statSync(join(root, "seo/skills/pdf/SKILL.md")).mode & 0o200).not.toBe(0);
  await answerOf("addWorkspaceSkill", await call("POST", "/v1/workspaces/seo/skills", { skill: "pdf" }));
  const updates = (await gateway.registry.store.eventsAfter(0, 1000)).filter(
    ({ event }) => event.type === "workspace.card_updated",
  );
  expect(updates).toHaveLength(1);
  const after = await answerOf("removeWorkspaceSkill", await call("DELETE", "/v1/workspaces/seo/skills/pdf"));
  expect(after.skills).toEqual([]);
  expect(configText()).toBe("# The SEO team\nname: SEO # shown\nskills:\n  - gone # soon\n");
  expect(await problemOf(await call("DELETE", "/v1/workspaces/seo/skills/pdf"))).toMatchObject({
    code: "SKILL_NOT_FOUND",
  });
});

test("a drop on a workspace without a folder grants the skill, under the rules of grants [S-43] [S-56]", async () => {
  await putSkill(gateway, "pdf", "ann");
  await putSkill(gateway, "hidden", "bob");
  const bare = await gateway.asRole("agent", "ann", "bare");
  const drop = (skill: string, headers: Headers = ann) =>
    call("POST", "/v1/workspaces/bare/skills", { skill }, headers);
  expect(await problemOf(await drop("pdf"))).toMatchObject({ code: "NOT_READY" });
  await call("PUT", "/v1/workspaces/bare", {});
  const grants = async () =>
    (await answerOf("listGrants", await call("GET", "/v1/skills/pdf/grants"))).grants;
  expect(await grants()).toEqual([]);
  const view = await answerOf("addWorkspaceSkill", await drop("pdf"));
  expect(view).toMatchObject({ id: "bare", hasFolder: false, drop: "granted" });
  expect(await grants()).toMatchObject([{ grantee: { kind: "agent", key: "bare" } }]);
  expect(await answerOf("addWorkspaceSkill", await drop("pdf"))).toMatchObject({ drop: "granted" });
  const bob = await gateway.asRole("publisher", "bob");
  expect(await problemOf(await drop("hidden", bob))).toMatchObject({ code: "AGENT_NOT_FOUND" });
  expect(await problemOf(await drop("hidden"))).toMatchObject({ code: "SKILL_NOT_FOUND" });
  expect((await drop("pdf", bare)).status).toBe(403);
  expect((await call("GET", "/v1/skills/hidden", undefined, bare)).status).toBe(404);
});

test("a failed drop changes neither the list nor the folder [S-56]", async () => {
  const before = configText();
  await putSkill(gateway, "hidden", "bob");
  for (const skill of ["missing", "hidden"])
    expect(await problemOf(await call("POST", "/v1/workspaces/seo/skills", { skill }))).toMatchObject({
      code: "SKILL_NOT_FOUND",
    });
  writeFileSync(join(root, "seo/config.yaml"), "skills: {a: 1}");
  await putSkill(gateway, "pdf", "ann");
  expect(await problemOf(await call("POST", "/v1/workspaces/seo/skills", { skill: "pdf" }))).toMatchObject({
    code: "CONFIG_INVALID",
  });
  writeFileSync(join(root, "seo/config.yaml"), before);
  const files = await answerOf("listWorkspaceFiles", await call("GET", "/workspaces/seo/files?depth=5"));
  expect(files.map(({ path }) => path).filter((path) => path.startsWith("skills/"))).toEqual([]);
});

test("reads, writes, lists and deletes text files [S-56]", async () => {
  await answerOf(
    "writeWorkspaceFile",
    await call("PUT", "/workspaces/seo/files/docs/a.md", { content: "Hi ☕" }),
  );
  expect(await answerOf("readWorkspaceFile", await call("GET", "/workspaces/seo/files/docs/a.md"))).toEqual({
    path: "docs/a.md",
    content: "Hi ☕",
  });
  const listed = await answerOf("listWorkspaceFiles", await call("GET", "/workspaces/seo/files?depth=2"));
  expect(listed).toEqual([
    { path: "config.yaml", size: expect.any(Number), dir: false },
    { path: "docs", size: 0, dir: true },
    { path: "docs/a.md", size: 6, dir: false },
  ]);
  await answerOf("removeWorkspaceFile", await call("DELETE", "/workspaces/seo/files/docs"));
  expect(await problemOf(await call("GET", "/workspaces/seo/files/docs/a.md"))).toMatchObject({
    code: "PATH_NOT_FOUND",
  });
});

test("rejects paths outside the folder, links, hidden files and large files [S-56]", async () => {
  writeFileSync(join(root, "secret.txt"), "secret");
  symlinkSync(join(root, "secret.txt"), join(root, "seo/link.md"));
  symlinkSync(root, join(root, "seo/up"));
  const outside = { code: "RESOURCE_OUTSIDE_SKILL" };
  for (const path of [
    "%2e%2e%2fsecret.txt",
    "a%2f..%2f..%2fsecret.txt",
    "%2fetc%2fpasswd",
    "a%00b",
    "link.md",
    "up/secret.txt",
  ]) {
    const response = await call("GET", `/workspaces/seo/files/${path}`);
    expect([path, response.status >= 400 && response.status < 500, await response.text()]).toEqual([
      path,
      true,
      expect.not.stringContaining('secret"'),
    ]);
  }
  for (const path of ["link.md", "up/new.txt", ".git/config", "a%2f..%2fb"])
    expect([
      path,
      await problemOf(await call("PUT", `/workspaces/seo/files/${path}`, { content: "x" })),
    ]).toMatchObject([path, outside]);
  expect(await problemOf(await call("DELETE", "/workspaces/seo/files/up/secret.txt"))).toMatchObject(outside);
  expect(readFileSync(join(root, "secret.txt"), "utf8")).toBe("secret");
  const large = { content: "x".repeat(65 * 1024) };
  expect(await problemOf(await call("PUT", "/workspaces/seo/files/config.yaml", large))).toMatchObject({
    code: "LIMIT_EXCEEDED",
  });
});

test("an invalid config is rejected with its problems, and the old one stays [S-56]", async () => {
  const before = configText();
  const problem = await problemOf(
    await call("PUT", "/workspaces/seo/files/config.yaml", { content: "skills: [../x]\n" }),
  );
  expect(problem).toMatchObject({ code: "CONFIG_INVALID" });
  expect(configText()).toBe(before);
});

test("only the owner and administrators manage a folder, and a workspace without one says so [S-56]", async () => {
  const bob = await gateway.asRole("publisher", "bob");
  for (const [method, path, body] of [
    ["GET", "/workspaces/seo/files", undefined],
    ["PUT", "/workspaces/seo/files/a.md", { content: "x" }],
    ["POST", "/v1/workspaces/seo/skills", { skill: "pdf" }],
    ["GET", "/bundles/export/seo", undefined],
  ] as const)
    expect(await problemOf(await call(method, path, body, bob))).toMatchObject({ code: "AGENT_NOT_FOUND" });
  const agent = await gateway.asRole("agent", "ann", "seo");
  expect((await call("GET", "/workspaces/seo/files", undefined, agent)).status).toBe(200);
  expect((await call("PUT", "/workspaces/seo/files/a.md", { content: "x" }, agent)).status).toBe(403);
  await gateway.asRole("agent", "ann", "bare");
  expect(await problemOf(await call("GET", "/workspaces/bare/files"))).toMatchObject({ code: "NOT_READY" });
});

test("a bundle of one workspace can be imported as another [S-56]", async () => {
  await putSkill(gateway, "pdf", "ann");
  await call("POST", "/v1/workspaces/seo/skills", { skill: "pdf" });
  await call("PUT", "/workspaces/seo/files/system-prompt.md", { content: "You are SEO." });
  writeFileSync(join(root, "seo/logo.png"), new Uint8Array([0x89, 0x50, 0xff, 0x00]));
  const bundle = await answerOf("exportWorkspace", await call("GET", "/bundles/export/seo"));
  expect(bundle).toMatchObject({
    schema: "1.0",
    id: "seo",
    name: "SEO",
    system_prompt: "You are SEO.",
    omitted: 1,
  });
  expect(bundle.skills).toMatchObject([
    { id: "pdf", files: { "SKILL.md": expect.stringContaining("About pdf.") } },
  ]);
  await gateway.asRole("agent", "ann", "copy");
  const admin = await gateway.asRole("admin", "root");
  const imported = await call("POST", "/bundles/import", { id: "copy", files: bundle.files }, admin);
  expect(await answerOf("importWorkspace", imported)).toMatchObject({ status: "imported", id: "copy" });
  const again = await answerOf("exportWorkspace", await call("GET", "/bundles/export/copy"));
  expect(again.files).toEqual(bundle.files);
  expect((await call("POST", "/bundles/import", { id: "copy", files: {} })).status).toBe(403);
});

test("drops at the same time are all listed [S-56]", async () => {
  const ids = ["one", "two", "three", "four"];
  for (const id of ids) await putSkill(gateway, id, "ann");
  const answers = await Promise.all(ids.map((skill) => call("POST", "/v1/workspaces/seo/skills", { skill })));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => answers[0]?.status));
  for (const id of ids) expect(configText()).toContain(`- ${id}\n`);
});
