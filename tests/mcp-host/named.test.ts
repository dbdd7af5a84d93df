import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProtocolError } from "@modelcontextprotocol/server";
import { runJson, runMain } from "@skillhold/cli/test/fake-host";
import { nodeHost } from "@skillhold/core/source";
import { type McpLibrary, openMcpLibrary } from "@skillhold/mcp/host";
import { afterEach, expect, test } from "vitest";
import {
  type Behaviour,
  contentsOf,
  entryOf,
  honest,
  pageOf,
  serveHttp,
  skillOf,
  skillText,
} from "./skill-server.ts";

const anyone = { runtime: "test" };
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(behaviour: Behaviour, skills: readonly string[]): Promise<McpLibrary> {
  const server = await serveHttp(behaviour);
  closing.push(server.close);
  const library = await openMcpLibrary(
    { label: "acme", server: { url: server.url }, skills },
    { host, clock: { now: () => new Date() } },
  );
  closing.push(() => library.close());
  return library;
}

const hidden = { "SKILL.md": skillText("hidden"), "notes.md": "Notes." };
const shelf = { pdf: { "SKILL.md": skillText("pdf") }, hidden };
const partial = (get: Behaviour["get"]): Behaviour => ({
  ...honest(() => shelf),
  list: () => pageOf([entryOf("pdf", shelf.pdf)]),
  ...(get === undefined ? {} : { get }),
});

test("uses and verifies a configured skill that its server does not list [S-57]", async () => {
  const asked: string[] = [];
  const library = await open(
    partial((uri) => {
      asked.push(uri);
      return skillOf(entryOf("hidden", hidden));
    }),
    ["skill://pdf/SKILL.md", "skill://hidden/SKILL.md"],
  );
  expect((await library.list(anyone)).map(({ id, trust }) => [id, trust])).toEqual([
    ["hidden", "third_party"],
    ["pdf", "third_party"],
  ]);
  expect(new Set(asked)).toEqual(new Set(["skill://hidden/SKILL.md"]));
  expect((await library.resource(anyone, "hidden", "notes.md")).content).toBe("Notes.");
});

test("rejects a file that differs from its entry [S-57]", async () => {
  const library = await open(
    {
      ...partial(() => skillOf(entryOf("hidden", hidden))),
      read: (uri) => contentsOf(uri, uri.endsWith("notes.md") ? "Other!" : hidden["SKILL.md"]),
    },
    ["skill://hidden/SKILL.md"],
  );
  await expect(library.resource(anyone, "hidden", "notes.md")).rejects.toMatchObject({
    code: "INTEGRITY_FAILED",
  });
});

test.each([
  ["has no such skill", "MCP_SKILL_UNKNOWN", () => Promise.reject(new ProtocolError(-32602, "What?"))],
  ["has no such method", "MCP_SKILL_UNKNOWN", undefined],
  ["answers with another skill", "MCP_ENTRY_INVALID", () => skillOf(entryOf("pdf", shelf.pdf))],
  ["answers with nothing", "MCP_ENTRY_INVALID", () => skillOf(undefined)],
])(
  "rejects the configured skill of a server that %s, and keeps the others [S-57]",
  async (_name, code, get) => {
    const library = await open(partial(get), ["skill://hidden/SKILL.md"]);
    expect((await library.list(anyone)).map(({ id }) => id)).toEqual(["pdf"]);
    expect(library.state()).toMatchObject({
      problem: undefined,
      refused: [{ id: "hidden", path: "skill://hidden/SKILL.md", diagnostics: [{ code }] }],
    });
  },
);

test("stores the configured skills with the source [S-57]", async () => {
  const home = mkdtempSync(join(tmpdir(), "skillhold-source-"));
  closing.push(async () => rmSync(home, { recursive: true, force: true }));
  const server = await serveHttp(partial(() => skillOf(entryOf("hidden", hidden))));
  closing.push(server.close);
  const named = ["--url", server.url, "--skill", "skill://hidden/SKILL.md"];
  const env = { HOME: home };
  expect(await runMain(["source", "add", "mcp", "acme", ...named], home, { env })).toMatchObject({ code: 0 });
  const { data } = await runJson(["list"], home, { env });
  expect(data).toMatchObject({ skills: [{ id: "hidden", source: "mcp:acme" }, { id: "pdf" }] });
});
