import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type FakeHostOptions, runJson, runMain } from "@skillhold/cli/test/fake-host";
import { addAgent } from "@skillhold/registry/access";
import { issueToken, revokeToken } from "@skillhold/registry/token";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshFolder, type ServedGateway, serveGateway } from "./remote.fixture.ts";
import { put } from "./skill.fixture.ts";

let served: ServedGateway;
let token: string;
let root: string;
beforeAll(async () => {
  served = await serveGateway();
  await put(served.gateway, "pdf", {
    visibility: "public",
    body: "Fill in the form.",
    files: { "references/forms.md": "# Forms\n" },
  });
  await put(served.gateway, "mail", { visibility: "public", fields: "runtime: hermes\n" });
  await put(served.gateway, "adas-own");
  token = await served.tokenOf("viewer", "bob");
});
afterAll(() => served.close());
beforeEach(async () => {
  root = await freshFolder();
});

type Env = NonNullable<FakeHostOptions["env"]>;

function env(more: Env = {}): Env {
  const own = { XDG_DATA_HOME: join(root, "data"), XDG_CACHE_HOME: join(root, "cache") };
  return { ...own, SKILLHOLD_USER: "ann", PATH: process.env["PATH"], ...more };
}
const withToken = () => env({ SKILLHOLD_TOKEN: token });
const text = (argv: readonly string[], options: FakeHostOptions = { env: withToken() }) =>
  runMain(argv, root, options);
const json = (argv: readonly string[], options: FakeHostOptions = { env: withToken() }) =>
  runJson(argv, root, options);
const there = () => ["--gateway", served.url];

describe("with --gateway", () => {
  test("list shows only the token's skills of the gateway [S-53] [S-60]", async () => {
    mkdirSync(join(root, "skills/local"), { recursive: true });
    writeFileSync(join(root, "skills/local/SKILL.md"), "---\nname: local\ndescription: Here.\n---\n");
    const { data, code } = await json(["list", ...there()]);
    expect([code, data.skills.map(({ id }: { id: string }) => id)]).toEqual([0, ["pdf"]]);
    expect(data.skills[0]).toMatchObject({
      source: `gateway:127.0.0.1:${served.port}`,
      trust: "third_party",
    });
    const { out, err } = await text(["list", ...there()]);
    expect(out).toContain("pdf");
    expect(err).toContain(`skillhold show <id> --gateway ${served.url}`);
    expect((await json(["list"])).data.skills).toMatchObject([{ id: "local" }]);
  });

  test("search, show, read, resource, catalog and explain use the gateway [S-60]", async () => {
    expect((await json(["search", "fill", "form", ...there()])).data.hits).toMatchObject([{ id: "pdf" }]);
    expect((await json(["show", "pdf", ...there()])).data).toMatchObject({
      entry: { id: "pdf", path: `${served.url}/v1/skills/pdf` },
      files: [{ path: "SKILL.md" }, { path: "references/forms.md" }],
    });
    expect((await text(["read", "--raw", "pdf", ...there()])).out).toBe("Fill in the form.\n");
    expect((await text(["read", "pdf", ...there()])).out).toContain("Fill in the form.");
    expect((await text(["resource", "pdf", "references/forms.md", ...there()])).out).toBe("# Forms\n");
    expect((await text(["catalog", ...there()])).out).toContain("pdf");
    const explained = await json(["explain", "mail", ...there()]);
    expect(explained.data.candidates).toMatchObject([{ id: "mail", state: "hidden", reason: "runtime" }]);
  });

  test("a hidden skill gives the error of a missing one [S-43]", async () => {
    const [none, others] = [
      await json(["read", "nowhere", ...there()]),
      await json(["read", "adas-own", ...there()]),
    ];
    expect([none.code, others.code]).toEqual([5, 5]);
    expect(others.error.message.replaceAll("adas-own", "nowhere")).toBe(none.error.message);
  });

  test("uses the given runtime or the one of the token's agent [S-7]", async () => {
    const said = await json(["list", "--runtime", "hermes", ...there()]);
    expect(said.data.skills).toHaveLength(2);
    const by = { user: "root", role: "admin" } as const;
    await addAgent({ key: "hermit", owner: "bob", runtime: "hermes" }, { by }, served.gateway.registry);
    const agents = { env: env({ SKILLHOLD_TOKEN: await served.tokenOf("agent", "bob", "hermit") }) };
    expect((await json(["list", ...there()], agents)).data.skills).toHaveLength(2);
  });

  test("the environment variable sets the default gateway [S-60]", async () => {
    const options = { env: env({ SKILLHOLD_TOKEN: token, SKILLHOLD_GATEWAY: served.url }) };
    mkdirSync(join(root, "mine/local"), { recursive: true });
    writeFileSync(join(root, "mine/local/SKILL.md"), "---\nname: local\ndescription: Here.\n---\n");
    expect((await json(["list"], options)).data.skills).toMatchObject([{ id: "pdf" }]);
    expect((await json(["list", "mine"], options)).data.skills).toMatchObject([{ id: "local" }]);
    expect((await json(["list", "--no-gateway"], options)).data.skills).toEqual([]);
    const mixed = await json(["list", "--root", "mine", ...there()], options);
    expect(mixed).toMatchObject({ code: 2, error: { code: "USAGE" } });
  });

  test("reports that invalid skills and the store are unavailable over a gateway [S-19]", async () => {
    expect(await json(["list", "--invalid", ...there()])).toMatchObject({
      code: 2,
      error: { code: "USAGE" },
    });
    expect(await json(["list", "--store", "sqlite:x.db", ...there()])).toMatchObject({ code: 2 });
  });

  test("explains the login without a token, and sends no token without TLS [S-53]", async () => {
    const without = await json(["list", ...there()], { env: env() });
    expect(without).toMatchObject({ code: 4, error: { code: "UNAUTHENTICATED" } });
    expect(without.error.hint).toContain(`skillhold login ${served.url}`);
    const plain = await json(["list", "--gateway", "http://skills.example.org"]);
    expect(plain).toMatchObject({
      code: 2,
      error: { message: expect.stringContaining("without encryption") },
    });
  });

  test("an unreachable gateway and an invalid token have their own exit codes [S-60]", async () => {
    const wrong = { env: env({ SKILLHOLD_TOKEN: `${token.slice(0, -4)}xxxx` }) };
    const refused = await json(["list", ...there()], wrong);
    expect(refused).toMatchObject({
      code: 4,
      error: { code: "UNAUTHENTICATED", message: `The gateway ${served.url} does not accept the token.` },
    });
    expect(refused.error.hint).toContain(`skillhold login ${served.url}`);
    const beside = await json(["list", "--gateway", `${served.url}/elsewhere`]);
    expect(beside).toMatchObject({
      code: 1,
      error: {
        code: "REMOTE_FAILED",
        hint: expect.stringContaining("Check that the address belongs to a gateway"),
      },
    });
    const gone = await serveGateway();
    await gone.close();
    const down = await json(["list", "--gateway", gone.url]);
    expect(down).toMatchObject({ code: 1, error: { code: "REMOTE_FAILED" } });
  });
});

describe("login", () => {
  const file = () => join(root, "data/skillhold/gateways.json");

  test("stores a valid token privately, and logout deletes it [S-53]", async () => {
    const piped = { env: env(), input: `${token}\n` };
    const login = await text(["login", `${served.url}/`], piped);
    expect([login.code, login.out]).toEqual([0, ""]);
    expect(login.err).toContain(`You are bob (viewer) at ${served.url} until `);
    expect(login.err).not.toContain(token);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await json(["list", ...there()], { env: env() })).data.skills).toHaveLength(1);
    expect((await text(["whoami"], { env: env() })).out).toBe("bob\n");
    expect((await json(["whoami", served.url], { env: env() })).data).toMatchObject({ role: "viewer" });
    expect((await text(["logout"], { env: env() })).code).toBe(0);
    expect(readFileSync(file(), "utf8")).not.toContain(token);
    expect((await json(["list", ...there()], { env: env() })).code).toBe(4);
    expect((await json(["logout", served.url], { env: env() })).code).toBe(5);
  });

  test("reads a hidden token from the prompt and stores one per gateway [S-53]", async () => {
    const typed = await text(["login", served.url], { env: env(), typed: `${token}\n` });
    expect(typed.code).toBe(0);
    expect(typed.tty).not.toContain(token);
    const other = await serveGateway();
    try {
      const input = await other.tokenOf("publisher", "eve");
      await text(["login", other.url], { env: env(), input });
      expect((await text(["whoami", other.url], { env: env() })).out).toBe("eve\n");
      expect((await text(["whoami", served.url], { env: env() })).out).toBe("bob\n");
      const which = await json(["whoami"], { env: env() });
      expect(which).toMatchObject({ code: 2, error: { hint: expect.stringContaining(other.url) } });
    } finally {
      await other.close();
    }
  });

  test("does not store an invalid token [S-53]", async () => {
    const refused = await json(["login", served.url], { env: env(), input: "skh_wrong" });
    expect(refused).toMatchObject({ code: 4, error: { code: "UNAUTHENTICATED" } });
    expect(() => statSync(file())).toThrow();
    const none = await json(["login", served.url], { env: env(), input: "" });
    expect(none).toMatchObject({ code: 2, error: { message: "No token was given." } });
  });

  test("rejects a readable or broken token file without printing it [S-53]", async () => {
    await text(["login", served.url], { env: env(), input: token });
    chmodSync(file(), 0o644);
    const open = await json(["list", ...there()], { env: env() });
    expect(open).toMatchObject({ code: 2, error: { code: "CONFIG_INVALID" } });
    writeFileSync(file(), `{"version":1,"gateways":[{"url":"x","token":"${token}","more":1}]}`);
    chmodSync(file(), 0o600);
    const broken = await json(["list", ...there()], { env: env() });
    expect(broken).toMatchObject({ code: 2, error: { code: "CONFIG_INVALID" } });
    expect(JSON.stringify(broken)).not.toContain(token);
  });
});

describe("publish --gateway", () => {
  test("uploads folders and archives and prints each result [S-41] [S-42]", async () => {
    const options = { env: env({ SKILLHOLD_TOKEN: await served.tokenOf("publisher", "eve") }) };
    mkdirSync(join(root, "new/eves-skill/scripts"), { recursive: true });
    writeFileSync(
      join(root, "new/eves-skill/SKILL.md"),
      "---\nname: eves-skill\ndescription: Hers.\n---\nGo.\n",
    );
    writeFileSync(join(root, "new/eves-skill/scripts/a.sh"), "#!/bin/sh\n");
    chmodSync(join(root, "new/eves-skill/scripts/a.sh"), 0o755);
    mkdirSync(join(root, "new/broken"), { recursive: true });
    writeFileSync(join(root, "new/broken/SKILL.md"), "none");
    const dry = await json(["publish", "new/eves-skill", "--dry-run", ...there()], options);
    expect(dry.data.skills).toMatchObject([{ id: "eves-skill", isDryRun: true }]);
    const { code, data } = await json(["publish", "new", ...there()], options);
    expect(code).toBe(3);
    expect(data.skills.map(({ status }: { status: string }) => status).sort()).toEqual([
      "failed",
      "published",
    ]);
    const shown = await json(["show", "eves-skill", ...there()], options);
    expect(shown.data.files).toMatchObject([
      { path: "SKILL.md" },
      { path: "scripts/a.sh", executable: true },
    ]);
    expect(shown.data.treeHash).toBe(
      data.skills.find(({ id }: { id?: string }) => id === "eves-skill").treeHash,
    );
    await text(["pack", "new/eves-skill", "--out", "eve.tar.gz"], options);
    const again = await text(["publish", "eve.tar.gz", ...there()], options);
    expect([again.code, again.out]).toEqual([0, "eves-skill revision 1: unchanged\n"]);
  });

  test("reports a missing publisher role [S-53]", async () => {
    mkdirSync(join(root, "bobs"), { recursive: true });
    writeFileSync(join(root, "bobs/SKILL.md"), "---\nname: bobs\ndescription: His.\n---\n");
    const refused = await json(["publish", "bobs", ...there()]);
    expect(refused).toMatchObject({ code: 4, error: { code: "FORBIDDEN" } });
  });
});

const bin = resolve(import.meta.dirname, "../../packages/skillhold/bin/skillhold.js");

/** Starts `watch` in its own process and waits until it is connected. */
async function startWatch(more: Env) {
  const options = { cwd: root, env: { ...process.env, ...env(more) } };
  const child = spawn(process.execPath, [bin, "watch", "--json", ...there()], options);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await lines.next()).value));
  expect((await next()).data).toMatchObject({ mode: "watch" });
  return { child, next };
}

test("watch prints changes at the gateway until it is interrupted [S-18] [S-60]", async () => {
  const { child, next } = await startWatch({ SKILLHOLD_TOKEN: token });
  await put(served.gateway, "watched", { visibility: "public" });
  expect((await next()).data).toMatchObject({ added: ["watched"], changed: [], removed: [] });
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  expect(code).toBe(130);
});

test("watch ends with a message when its token is revoked [S-53] [S-60]", async () => {
  const { registry } = served.gateway;
  const by = { user: "root", role: "admin" } as const;
  const issued = await issueToken({ name: "watch", role: "viewer", user: "bob" }, { by }, registry);
  const { child, next } = await startWatch({ SKILLHOLD_TOKEN: issued.secret });
  const exit = once(child, "exit");
  await revokeToken(issued.token.id, { by }, registry);
  expect(await next()).toMatchObject({ ok: false, error: { code: "UNAUTHENTICATED" } });
  expect((await exit)[0]).toBe(4);
});

test("mcp serves the gateway's skills to a local client [S-57]", async () => {
  const options = { cwd: root, env: { ...process.env, ...withToken() } };
  const child = spawn(process.execPath, [bin, "mcp", ...there()], options);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const message = JSON.parse(String((await lines.next()).value)) as { id?: number };
      if (message.id === id) return message;
    }
  };
  await ask(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const read = await ask(2, "tools/call", { name: "read_skill", arguments: { skill_id: "pdf" } });
  expect(JSON.stringify(read)).toContain("Fill in the form.");
  child.stdin.end();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});
