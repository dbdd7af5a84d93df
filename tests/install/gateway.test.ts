import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type InstallService, loopbackHosts } from "@skillhold/gateway";
import { defaultLimits } from "@skillhold/protocol/limits";
import { isIncluded, leafHash } from "@skillhold/registry/audit";
import { baseFolder, Fetcher, InstallState, systemGit } from "@skillhold/registry/install";
import { launch } from "@skillhold/sandbox/backend";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, openTestGateway, type TestGateway } from "../gateway/gateway.fixture.ts";
import { put } from "../gateway/skill.fixture.ts";
import { openPort, type TestPort, TestSocket } from "../gateway/socket.fixture.ts";
import { type GitServer, openGitServer, skillText } from "./git-server.fixture.ts";
import { installScene } from "./scene.fixture.ts";

const { json, read, root } = installScene({ beforeEach, afterEach });

let git: GitServer;
let folder = "";
beforeAll(async () => {
  git = await openGitServer();
  folder = mkdtempSync(join(tmpdir(), "skillhold-gateway-install-"));
});
afterAll(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway's own rules, with or without this machine among the hosts that its operator named. */
function service(isHereAllowed: boolean): InstallService {
  const policy = { isPrivateAllowed: () => isHereAllowed, isPlainAllowed: () => isHereAllowed };
  return {
    state: new InstallState(join(folder, "install.json")),
    bases: baseFolder(join(folder, "upstream"), defaultLimits),
    open: async (work, signal) => {
      const fetcher = new Fetcher({
        resolve: async () => ["127.0.0.1"],
        policy,
        limits: defaultLimits,
        signal,
      });
      const runGit = systemGit({
        launch,
        pins: fetcher.pins,
        env: { PATH: process.env["PATH"] },
        isPlainAllowed: () => isHereAllowed,
      });
      const ports = { fetcher, git: runGit, settings: { cwd: work }, limits: defaultLimits, work, signal };
      return { ports, trust: { signers: [], roots: [] }, policy: [], close: () => fetcher.close() };
    },
  };
}

describe("POST /v1/skills/install", () => {
  let gateway: TestGateway;
  afterEach(async () => {
    await gateway.close();
  });
  async function install(body: object, role: "admin" | "publisher" | "agent" | "viewer" = "publisher") {
    const response = await ask(gateway, "POST", "/v1/skills/install", {
      headers: await gateway.asRole(role),
      body,
    });
    // The answer is JSON, whatever its status.
    return {
      status: response.status,
      data: (await response.json()) as Record<string, never> & { skills: never[] },
    };
  }

  test("answers with a preview, and installs the content that was approved [S-47]", async () => {
    gateway = await openTestGateway({ installs: service(true) });
    const repo = git.repository("acme/gateway");
    repo.write({ "skills/pdf/SKILL.md": skillText("pdf"), "skills/docx/SKILL.md": skillText("docx") });
    repo.commit();
    const preview = await install({ source: repo.url });
    expect(preview).toMatchObject({
      status: 200,
      data: {
        skills: [],
        previews: [
          { id: "docx", plan: "install" },
          { id: "pdf", plan: "install" },
        ],
      },
    });
    const [docx, pdf] = preview.data["previews"] as unknown as { readonly treeHash: string }[];
    repo.write({ "skills/docx/SKILL.md": skillText("docx", "Changed since.\n") });
    repo.commit();
    const done = await install({ source: repo.url, approved: { pdf: pdf?.treeHash, docx: docx?.treeHash } });
    expect(done.data.skills).toEqual([
      expect.objectContaining({
        id: "docx",
        status: "failed",
        error: expect.objectContaining({ code: "APPROVAL_REQUIRED" }),
      }),
      expect.objectContaining({ id: "pdf", status: "installed", revision: 1 }),
    ]);
    const { store } = gateway.registry;
    const skill = await store.findSkill("pdf");
    const [revision] = await store.listRevisions(skill?.uid ?? "");
    const { provenance, trust } = revision ?? {};
    expect({ trust, provenance }).toMatchObject({
      trust: "third_party",
      provenance: { source: "git", originUrl: repo.url },
    });
    for (const role of ["agent", "viewer"] as const)
      expect((await install({ source: repo.url }, role)).status).toBe(403);
  });

  test("an update waits for its minimum age, and only an administrator accepts it now [S-47]", async () => {
    gateway = await openTestGateway({ installs: service(true) });
    const repo = git.repository("acme/cooldown");
    repo.write({ "SKILL.md": skillText("cool") });
    repo.commit();
    const approve = async (more: object = {}, role: "admin" | "publisher" = "publisher") => {
      const preview = await install({ source: repo.url, id: "cool" });
      const [{ treeHash, waitsUntil }] = preview.data["previews"] as unknown as [
        { readonly treeHash: string; readonly waitsUntil?: string },
      ];
      const done = await install(
        { source: repo.url, id: "cool", approved: { cool: treeHash }, ...more },
        role,
      );
      return { waitsUntil, status: done.status, skills: done.data.skills };
    };
    expect(await approve()).toMatchObject({ waitsUntil: undefined, skills: [{ status: "installed" }] });
    repo.write({ "SKILL.md": skillText("cool", "Second.\n") });
    repo.commit();
    const waiting = await approve();
    expect(waiting.skills).toEqual([{ id: "cool", status: "waiting", until: waiting.waitsUntil }]);
    expect(Date.parse(waiting.waitsUntil ?? "")).toBeGreaterThan(Date.now() + 2 * 86_400_000);
    expect(await approve({ now: true })).toMatchObject({ status: 403 });
    expect(await approve({ now: true }, "admin")).toMatchObject({ skills: [{ status: "updated" }] });
  });

  test("progress goes to the connections of the caller alone [S-47]", async () => {
    gateway = await openTestGateway({ installs: service(true) });
    const port = await openPort(gateway);
    const repo = git.repository("acme/progress");
    repo.write({ "skills/a/SKILL.md": skillText("a"), "skills/b/SKILL.md": skillText("b") });
    repo.commit();
    const own = await TestSocket.open(port, await gateway.asRole("publisher"));
    const other = await TestSocket.open(port, await gateway.asRole("admin", "eve"));
    const preview = await install({ source: repo.url, progress: "p1" });
    const previews = preview.data["previews"] as unknown as {
      readonly id: string;
      readonly treeHash: string;
    }[];
    const approved = Object.fromEntries(previews.map(({ id, treeHash }) => [id, treeHash]));
    await install({ source: repo.url, progress: "p2", approved });
    const steps = () => own.messages.flatMap((message) => ("install" in message ? [message.install] : []));
    await expect.poll(() => steps().filter(({ stage }) => stage === "done").length).toBe(2);
    expect(steps().filter(({ request }) => request === "p2")).toEqual([
      { request: "p2", stage: "resolving" },
      { request: "p2", stage: "fetching", done: 0, total: 2 },
      { request: "p2", stage: "checking", skill: "a", done: 0, total: 2 },
      { request: "p2", stage: "checking", skill: "b", done: 1, total: 2 },
      { request: "p2", stage: "installing", skill: "a", done: 0, total: 2 },
      { request: "p2", stage: "installing", skill: "b", done: 1, total: 2 },
      { request: "p2", stage: "done" },
    ]);
    // A later answer on the same connection proves that no progress came before it.
    await other.ask("events.subscribe", {});
    expect(other.messages.filter((message) => "install" in message)).toEqual([]);
    await port.close();
  });

  test("lists installed skills with their sources, and checks them for updates [S-47]", async () => {
    gateway = await openTestGateway({ installs: { ...service(true), minAgeMs: 0 } });
    const repo = git.repository("acme/sources");
    repo.write({ "skills/one/SKILL.md": skillText("one"), "skills/two/SKILL.md": skillText("two") });
    repo.commit();
    const preview = await install({ source: repo.url });
    const previews = preview.data["previews"] as unknown as {
      readonly id: string;
      readonly treeHash: string;
    }[];
    const approved = Object.fromEntries(previews.map(({ id, treeHash }) => [id, treeHash]));
    await install({ source: repo.url, approved });
    const request = async (
      method: "GET" | "POST",
      path: string,
      role: "publisher" | "viewer",
      user?: string,
    ) => {
      const headers = await gateway.asRole(role, user);
      const response = await ask(gateway, method, path, {
        headers,
        ...(method === "POST" ? { body: {} } : {}),
      });
      return { status: response.status, data: (await response.json()) as Record<string, never> };
    };
    const before = await request("GET", "/v1/installed", "publisher");
    expect(before.data).toEqual({
      skills: ["one", "two"].map((id) =>
        expect.objectContaining({ id, path: `skills/${id}`, isPinned: false, isEdited: false }),
      ),
    });
    repo.write({ "skills/two/SKILL.md": skillText("two", "Second.\n") });
    repo.commit();
    const { data } = await request("POST", "/v1/installed/check", "publisher");
    expect(data).toMatchObject({
      checkedAt: expect.any(String),
      skills: [
        { id: "one", check: { status: "current" } },
        { id: "two", check: { status: "outdated", latest: expect.stringMatching(/^[0-9a-f]{12}$/) } },
      ],
    });
    expect((await request("GET", "/v1/installed", "publisher")).data).toEqual(data);
    expect((await request("GET", "/v1/installed", "publisher", "eve")).data).toMatchObject({ skills: [] });
    expect((await request("GET", "/v1/installed", "viewer")).status).toBe(403);
  });

  test.each([
    [
      "a private address",
      (): string => `${git.url.replace("http:", "https:").replace("127.0.0.1", "inside.test")}/acme/x.git`,
    ],
    ["a private address of a download", (): string => "https://inside.test/skills.zip"],
    ["plain http", (): string => "http://inside.test/skills.zip"],
    ["a folder of the machine", (): string => "/etc"],
    ["ssh", (): string => "git@inside.test:o/r.git"],
    ["another gateway", (): string => "gateway:https://inside.test/pdf"],
  ] as const)("refuses %s [S-47]", async (_, source) => {
    gateway = await openTestGateway({ installs: service(false) });
    const before = git.traffic.requests;
    expect(await install({ source: source() })).toMatchObject({
      status: 403,
      data: { code: "POLICY_DENIED" },
    });
    expect(git.traffic.requests).toBe(before);
  });
});

describe("another gateway as a source", () => {
  let gateway: TestGateway;
  let port: TestPort;
  let env: Record<string, string>;
  beforeEach(async () => {
    const hosts: string[] = [];
    gateway = await openTestGateway({ options: { hosts } });
    port = await openPort(gateway);
    hosts.push(...loopbackHosts(port.port));
    const { authorization } = await gateway.asRole("admin");
    env = { SKILLHOLD_TOKEN: authorization.replace("Bearer ", "") };
  });
  afterEach(async () => {
    await port.close();
    await gateway.close();
  });
  const install = (...rest: readonly string[]) =>
    json(["install", `gateway:http://127.0.0.1:${port.port}/pdf`, "--target", "project", "--yes", ...rest], {
      env,
    });

  test("is verified by its tree hash, and its log has to grow from the one seen before [S-47]", async () => {
    await put(gateway, "pdf", { visibility: "public", body: "One." });
    const first = await install();
    expect(first).toMatchObject({
      code: 0,
      data: {
        skills: [{ status: "installed" }],
        previews: [{ origin: { source: "gateway", verified: "digest" } }],
      },
    });
    expect(read(".agents/skills/pdf/SKILL.md")).toContain("One.");
    await put(gateway, "pdf", { visibility: "public", body: "Two." });
    const updated = await json(["update", "pdf", "--target", "project", "--yes", "--now"], { env });
    expect(updated).toMatchObject({ code: 0, data: { skills: [{ status: "updated" }] } });
    // A log that was rolled back is shorter than the one that was seen.
    const state = new InstallState(join(root(), "data/skillhold/install.json"));
    const records = state.read();
    const [[url = "", seen] = []] = Object.entries(records.checkpoints);
    state.write({
      ...records,
      checkpoints: { [url]: { origin: seen?.origin ?? "", root: seen?.root ?? "", size: 10_000 } },
    });
    expect(await install()).toMatchObject({
      code: 7,
      error: { code: "INTEGRITY_FAILED", message: expect.stringContaining("shrank") },
    });
    state.write({
      ...records,
      checkpoints: { [url]: { origin: seen?.origin ?? "", size: 1, root: "0".repeat(64) } },
    });
    expect(await install()).toMatchObject({
      code: 7,
      error: { message: expect.stringContaining("does not continue") },
    });
  });

  test("proves that an event is in its log [S-47]", async () => {
    await put(gateway, "pdf", { visibility: "public" });
    const headers = { ...(await gateway.asRole("viewer")), host: `127.0.0.1:${port.port}` };
    const get = async (path: string) =>
      (await ask(gateway, "GET", path, { headers })).json() as Promise<Record<string, never>>;
    const { size, root: head } = await get("/v1/audit/checkpoint");
    for (const row of await gateway.registry.store.auditAfter(0, 3)) {
      const proof = await get(`/v1/audit/proof?index=${row.seq - 1}&size=${size}`);
      expect(proof["leaf"]).toBe(leafHash(row.hash));
      expect(isIncluded(proof as unknown as Parameters<typeof isIncluded>[0], head ?? "")).toBe(true);
    }
    expect(await get("/v1/audit/proof?index=9&size=999999")).toMatchObject({ status: 400, code: "USAGE" });
    expect(await get("/v1/audit/consistency?from=0&to=1")).toMatchObject({ status: 400 });
  });
});
