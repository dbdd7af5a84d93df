import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LibraryChange, openLayeredLibrary, openMemoryLibrary } from "@skillhold/core/library";
import { nodeHost } from "@skillhold/core/source";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import {
  forgetMcpSource,
  type McpLibrary,
  openMcpLibrary,
  refusalOf,
  sourceLabel,
} from "@skillhold/mcp/host";
import { withLimits } from "@skillhold/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  contentsOf,
  entryOf,
  type FileMap,
  honest,
  pageOf,
  type RunningServer,
  serveHttp,
  skillText,
} from "./skill-server.ts";

const anyone = { runtime: "test" };
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const closing: (() => Promise<void>)[] = [];
let skills: Record<string, FileMap>;
let cache: string;
let now: number;

beforeEach(() => {
  skills = {
    pdf: { "SKILL.md": skillText("pdf"), "notes.md": "Notes.", "nested/SKILL.md": skillText("nested") },
  };
  cache = mkdtempSync(join(tmpdir(), "skillhold-mcp-cache-"));
  now = Date.parse("2026-11-16T00:00:00Z");
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(cache, { recursive: true, force: true });
});

async function serve(behaviour = honest(() => skills)): Promise<RunningServer> {
  const server = await serveHttp(behaviour);
  closing.push(server.close);
  return server;
}

async function open(url: string, label = "acme", limits = {}): Promise<McpLibrary> {
  const ports = { host, cache, clock: { now: () => new Date(now) }, limits: withLimits(limits) };
  const library = await openMcpLibrary({ label, server: { url } }, ports);
  closing.push(() => library.close());
  return library;
}

function keptFiles(): readonly string[] {
  return readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
}

test("fetches a file only when it is read [S-57]", async () => {
  const server = await serve();
  const library = await open(server.url);
  await library.list(anyone);
  await library.search(anyone, "things");
  await library.explain(anyone);
  await library.find(anyone, "pdf");
  expect(server.reads).toEqual([]);
  await library.read(anyone, "pdf");
  expect(server.reads).toEqual(["skill://pdf/SKILL.md"]);
  await library.resource(anyone, "pdf", "notes.md");
  expect(server.reads).toEqual(["skill://pdf/SKILL.md", "skill://pdf/notes.md"]);
});

test("a remote skill is third-party, with the host's label and the server's URI [S-14] [S-57]", async () => {
  const library = await open((await serve()).url);
  expect(await library.list(anyone)).toMatchObject([
    { id: "pdf", trust: "third_party", source: "mcp:acme", path: "skill://pdf" },
  ]);
  for (const label of ["", "Acme", "a b", "../x", "a--b", "x".repeat(33)])
    expect(() => sourceLabel(label)).toThrow(expect.objectContaining({ code: "USAGE" }));
});

test("a nested SKILL.md is an ordinary file [S-57]", async () => {
  const library = await open((await serve()).url);
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf"]);
  const { files } = await library.read(anyone, "pdf");
  expect(files.find(({ path }) => path === "nested/SKILL.md")).toMatchObject({ role: "resource" });
});

test("does not request a file that is not listed [S-57]", async () => {
  const server = await serve();
  const library = await open(server.url);
  await expect(library.resource(anyone, "pdf", "secret.md")).rejects.toMatchObject({
    code: "PATH_NOT_FOUND",
  });
  expect(server.reads).toEqual([]);
});

test.each(["local", "trust"] as const)(
  "a remote skill never shadows a local one by %s, and is reported [S-15] [S-57]",
  async (precedence) => {
    const server = await serve();
    const local = openMemoryLibrary(
      [{ folder: "pdf", files: { "SKILL.md": skillText("pdf", "Ours.") }, trust: "third_party" }],
      { host },
    );
    const library = openLayeredLibrary([local, await open(server.url)], { precedence });
    expect(await library.list(anyone)).toMatchObject([{ id: "pdf", source: "memory", description: "Ours." }]);
    expect((await library.read(anyone, "pdf")).entry.source).toBe("memory");
    expect(server.reads).toEqual([]);
    expect(await library.explain(anyone, "pdf")).toMatchObject([
      { state: "visible", source: "memory" },
      { state: "shadowed", source: "mcp:acme", path: "skill://pdf" },
    ]);
  },
);

test("reports the shadowed skill of two servers, and gives two URIs of one server different ids [S-57]", async () => {
  const twin = { ...entryOf("pdf", { "SKILL.md": skillText("pdf") }), uri: "skill://a/pdf/SKILL.md" };
  const text = skillText("pdf");
  const [first] = entryOf("pdf", { "SKILL.md": text }).resources;
  const resources = [{ ...(first as object), uri: "skill://a/pdf/SKILL.md" }];
  const server = await serve({
    list: () => pageOf([entryOf("pdf", { "SKILL.md": text }), { ...twin, resources }]),
    read: (uri) => contentsOf(uri, text),
  });
  const library = openLayeredLibrary([await open(server.url, "one"), await open(server.url, "two")]);
  const explained = await library.explain(anyone, "pdf");
  expect(explained.map(({ state, source, path }) => [state, source, path])).toEqual([
    ["visible", "mcp:one", "skill://pdf"],
    ["shadowed", "mcp:two", "skill://pdf"],
  ]);
  expect((await library.list(anyone)).map(({ id, name, path }) => [id, name, path])).toEqual([
    ["a-pdf", "pdf", "skill://a/pdf"],
    ["pdf", "pdf", "skill://pdf"],
  ]);
  const { entry, treeHash } = await library.read(anyone, "a-pdf");
  expect([entry.path, treeHash]).toEqual(["skill://a/pdf", entry.treeHash]);
});

test("reads a changed skill after fetching the list again, with its new hash [S-57]", async () => {
  const library = await open((await serve()).url);
  const before = await library.read(anyone, "pdf");
  skills = { pdf: { "SKILL.md": skillText("pdf", "Does things.", "# Other steps\n") } };
  rmSync(cache, { recursive: true });
  const after = await library.read(anyone, "pdf");
  expect(after.body).toBe("# Other steps\n");
  expect(after.treeHash).not.toBe(before.treeHash);
  await expect(library.resource(anyone, "pdf", "notes.md")).rejects.toMatchObject({ code: "PATH_NOT_FOUND" });
});

test("follows the server's list when a skill is removed or replaced [S-18] [S-57]", async () => {
  const server = await serve();
  const library = await open(server.url);
  const changes: LibraryChange[] = [];
  library.onChange(() => {
    throw new Error("One listener that fails keeps the others from nothing.");
  });
  const told = new Promise<void>((resolve) => {
    library.onChange((change) => {
      changes.push(change);
      resolve();
    });
  });
  skills = { docx: { "SKILL.md": skillText("docx") } };
  server.changed();
  await told;
  expect(changes).toEqual([{ added: ["docx"], changed: [], removed: ["pdf"], broken: [] }]);
  await expect(library.read(anyone, "pdf")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
});

test("caches a list for the server's TTL, within bounds [S-57]", async () => {
  const server = await serve({ ...honest(() => skills), capabilities: CONSTANT });
  const library = await open(server.url);
  await library.list(anyone);
  expect(server.lists()).toBe(1);
  now += 1001;
  skills = {};
  expect(await library.list(anyone)).toEqual([]);
  expect(server.lists()).toBe(2);
});

const CONSTANT = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };

test("caches a file privately and checks its hash on each use [S-57]", async () => {
  const server = await serve();
  const library = await open(server.url);
  await library.resource(anyone, "pdf", "notes.md");
  await library.resource(anyone, "pdf", "notes.md");
  expect(server.reads).toHaveLength(1);
  const [file = ""] = keptFiles();
  expect(statSync(file).mode & 0o777).toBe(0o400);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  chmodSync(file, 0o600);
  writeFileSync(file, "Evil!!");
  expect((await library.resource(anyone, "pdf", "notes.md")).content).toBe("Notes.");
  expect(server.reads).toHaveLength(2);
  expect(readFileSync(file, "utf8")).toBe("Notes.");
  await forgetMcpSource("acme", cache);
  expect(keptFiles()).toEqual([]);
});

test("does not share cached files between servers [S-57]", async () => {
  const [one, two] = [await serve(), await serve()];
  await (await open(one.url, "one")).read(anyone, "pdf");
  await (await open(two.url, "two")).read(anyone, "pdf");
  expect(two.reads).toEqual(["skill://pdf/SKILL.md"]);
});

test("limits the cache of a server and deletes files that are no longer listed [S-57]", async () => {
  const half = "x".repeat(600 * 1024);
  skills = { pdf: { "SKILL.md": skillText("pdf"), "a.txt": half, "b.txt": `${half.slice(1)}y` } };
  const library = await open((await serve()).url, "acme", { mcpServerBytes: 1024 * 1024 });
  await library.resource(anyone, "pdf", "a.txt");
  await library.resource(anyone, "pdf", "b.txt");
  expect(keptFiles()).toHaveLength(1);
  skills = {};
  now += 300_001;
  await library.list(anyone);
  expect(keptFiles()).toEqual([]);
});

test("shows no skills of a server that is down, until it answers again [S-57]", async () => {
  const server = await serve();
  const library = await open(server.url);
  await library.read(anyone, "pdf");
  await server.close();
  now += 300_001;
  expect(await library.list(anyone)).toEqual([]);
  expect(refusalOf(library.state().problem)).toBe("MCP_UNREACHABLE");
  await expect(library.read(anyone, "pdf")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  const again = await serveHttp(
    honest(() => skills),
    Number(new URL(server.url).port),
  );
  closing.push(again.close);
  expect(await library.list(anyone)).toEqual([]);
  now += 15_001;
  await vi.waitFor(
    async () => expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf"]),
    120_000,
  );
});

test("does not wait for a hanging server, and reports its skills when it answers [S-57]", async () => {
  const answering = Promise.withResolvers<void>();
  const { list, read } = honest(() => skills);
  const server = await serve({
    read,
    list: async (cursor) => {
      await answering.promise;
      return list(cursor);
    },
  });
  const timers = new ManualTimers();
  const limits = withLimits({ mcpListMs: 300_000 });
  const ports = { host, clock: { now: () => new Date(now) }, timers, limits, isPatient: false };
  const opening = openMcpLibrary({ label: "acme", server: { url: server.url } }, ports);
  await timers.set(limits.mcpWaitMs);
  timers.advance(limits.mcpWaitMs);
  const library = await opening;
  closing.push(() => library.close());
  const told = vi.fn();
  library.onChange(told);
  expect(await library.list(anyone)).toEqual([]);
  expect(library.state().problem?.message).toBe("The server has not answered yet.");
  answering.resolve();
  await vi.waitFor(
    () => expect(told).toHaveBeenCalledWith(expect.objectContaining({ added: ["pdf"] })),
    120_000,
  );
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf"]);
  expect(library.state().problem).toBeUndefined();
});

test("calls do not wait for a server that failed before [S-57]", async () => {
  let answer: () => unknown = () => ({ skills: "none" });
  const server = await serve({ ...honest(() => skills), list: () => answer() });
  const library = await open(server.url, "acme", { mcpWaitMs: 300_000, mcpListMs: 300_000 });
  expect(refusalOf(library.state().problem)).toBe("MCP_ANSWER_INVALID");
  answer = () => new Promise(() => {});
  now += 15_001;
  expect(await library.list(anyone)).toEqual([]);
  await vi.waitFor(() => expect(server.lists()).toBe(2), 120_000);
  expect(await library.list(anyone)).toEqual([]);
});

test("a failing server does not affect other sources [S-57]", async () => {
  const local = openMemoryLibrary([{ folder: "own", files: { "SKILL.md": skillText("own") } }], { host });
  const library = openLayeredLibrary([local, await open("http://127.0.0.1:1/mcp", "down")]);
  expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["own"]);
  expect((await library.search(anyone, "things"))[0]?.entry.id).toBe("own");
});

test.each([
  [401, "MCP_UNAUTHORIZED"],
  [403, "MCP_UNAUTHORIZED"],
  [302, "MCP_UNREACHABLE"],
  [500, "MCP_UNREACHABLE"],
])(
  "reports a server that answers %i as %s, and sends credentials to no other host [S-57]",
  async (status, code) => {
    const asked: (string | undefined)[] = [];
    const http = createServer((request, response) => {
      asked.push(request.url);
      const seen = request.headers["x-token"];
      response.writeHead(seen === "secret" ? status : 400, { location: "/elsewhere" }).end();
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => http.close(() => resolve())));
    const { port } = http.address() as AddressInfo;
    const server = { url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Token": "secret" } };
    const library = await openMcpLibrary(
      { label: "acme", server },
      { host, clock: { now: () => new Date(now) } },
    );
    const { problem } = library.state();
    expect(refusalOf(problem)).toBe(code);
    expect(problem?.message).not.toContain("secret");
    expect(new Set(asked)).toEqual(new Set(["/mcp"]));
    await library.close();
    http.closeAllConnections();
  },
);
