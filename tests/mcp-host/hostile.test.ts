import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers, type Timers } from "@skillhold/core/port";
import { nodeHost } from "@skillhold/core/source";
import { type McpLibrary, openMcpLibrary, refusalOf, refusalTable } from "@skillhold/mcp/host";
import { SkillError, withLimits } from "@skillhold/protocol";
import { afterAll, describe, expect, test } from "vitest";
import type { Attack } from "./attack.ts";
import { attacks } from "./hostile-server.ts";
import { honest, serveHttp, skillText } from "./skill-server.ts";

const anyone = { runtime: "test" };
const host = nodeHost({ env: {}, platform: "linux", cwd: "/" });
const clock = { now: () => new Date() };
const cache = mkdtempSync(join(tmpdir(), "skillhold-hostile-"));
let handedOver = 0;

afterAll(() => {
  rmSync(cache, { recursive: true, force: true });
  expect(handedOver).toBe(0);
});

async function open(
  attack: Attack,
  server: Parameters<typeof openMcpLibrary>[0]["server"],
): Promise<McpLibrary> {
  const limits = withLimits({ ...attack.limits });
  const timers = attack.outlasts === undefined ? systemTimers : impatient(limits[attack.outlasts]);
  return await openMcpLibrary({ label: "evil", server }, { host, clock, timers, limits, cache });
}

/** The machine's timers, on which this one limit is reached at once. */
function impatient(limitMs: number): Timers {
  const after: Timers["after"] = (ms, callback, options) =>
    systemTimers.after(ms === limitMs ? 0 : ms, callback, options);
  return { ...systemTimers, after };
}

/** Tries every way to read a skill and returns the codes of the errors. */
async function tryAll(
  library: McpLibrary,
  id: string,
  path: string,
): Promise<readonly (string | undefined)[]> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-hostile-copy-"));
  const attempts = [
    () => (path === "SKILL.md" ? library.read(anyone, id) : library.resource(anyone, id, path)),
    () => library.resource(anyone, id, path),
    () => library.copy(anyone, id, folder),
  ];
  const codes: (string | undefined)[] = [];
  for (const attempt of attempts) {
    try {
      await attempt();
      handedOver += 1;
      codes.push("handed over");
    } catch (error) {
      codes.push(refusalOf(error) ?? (error instanceof SkillError ? error.code : String(error)));
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return codes;
}

async function checkAttack(attack: Attack, library: McpLibrary): Promise<void> {
  const { problem, refused } = library.state();
  const listed = await library.list(anyone);
  switch (attack.at) {
    case "server":
      expect([refusalOf(problem), listed]).toEqual([attack.code, []]);
      break;
    case "entry": {
      expect(problem).toBeUndefined();
      const codes = refused.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code));
      expect(codes).toContain(attack.code);
      expect(listed).toEqual([]);
      const explained = await library.explain(anyone);
      expect(explained.every(({ state, message }) => state === "invalid" && message !== "")).toBe(true);
      break;
    }
    case "read":
      expect(listed.map(({ id }) => id)).toEqual(["evil"]);
  }
  const expected = attack.at === "read" ? attack.code : "SKILL_NOT_FOUND";
  expect(await tryAll(library, "evil", attack.path ?? "SKILL.md")).toEqual([expected, expected, expected]);
}

describe("rejects every attack of a server", () => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))(
    "that tries %s [S-57]",
    async (_, attack) => {
      const server = await serveHttp(attack.make());
      const library = await open(attack, { url: server.url });
      try {
        await checkAttack(attack, library);
        if (attack.at === "entry") expect(server.reads).toEqual([]);
      } finally {
        await library.close();
        await server.close();
      }
    },
  );

  const program = join(import.meta.dirname, "hostile-server.ts");
  const some = ["pages without end", "a message that is too large", "silence", "a longer text", "an error"];
  test.each(some)("that is a program and tries %s [S-57]", async (name) => {
    const attack = attacks.find((each) => each.name === name);
    if (attack === undefined) throw new Error(`There is no attack ${name}.`);
    const args = ["--conditions=@skillhold/source", program, name];
    const library = await open(attack, { command: process.execPath, args });
    try {
      await checkAttack(attack, library);
    } finally {
      await library.close();
    }
  });

  test.each([301, 302, 307, 308])("that redirects with status %i [S-57]", async (status) => {
    const other = await serveHttp(honest(() => ({ evil: { "SKILL.md": skillText("evil") } })));
    const http = createServer((_request, response) => {
      response.writeHead(status, { location: other.url }).end();
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    // A listening TCP server has a port.
    const { port } = http.address() as AddressInfo;
    const headers = { authorization: "Bearer mine" };
    const url = `http://127.0.0.1:${port}/mcp`;
    const library = await openMcpLibrary({ label: "evil", server: { url, headers } }, { host, clock, cache });
    try {
      expect(refusalOf(library.state().problem)).toBe("MCP_UNREACHABLE");
      expect(await library.list(anyone)).toEqual([]);
      expect([...other.authorizations]).toEqual([]);
    } finally {
      await library.close();
      http.closeAllConnections();
      http.close();
      await other.close();
    }
  });

  test("and the guide documents every code [S-57]", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/mcp-sources.md"), "utf8");
    const named = new Set(guide.match(/(?<=`)MCP_[A-Z_]+(?=`)/g));
    expect([...named].sort()).toEqual(Object.keys(refusalTable).sort());
  });

  test("and every reason code is covered by a test [S-57]", () => {
    const elsewhere = ["MCP_UNREACHABLE", "MCP_UNAUTHORIZED", "MCP_VARIABLE_MISSING", "MCP_SKILL_UNKNOWN"];
    const tried = new Set([...attacks.map(({ code }) => code), ...elsewhere]);
    expect(Object.keys(refusalTable).filter((code) => !tried.has(code))).toEqual([]);
  });
});
