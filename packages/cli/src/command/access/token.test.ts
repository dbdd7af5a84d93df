import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { storeFile, text, json } = registryScene({ beforeEach, afterEach });

const day = 86_400_000;
const create = ["token", "create", "--name", "CI", "--role", "publisher"];
const lifeOf = ({ createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string }) =>
  Date.parse(expiresAt) - Date.parse(createdAt);

describe("token create", () => {
  test("prints the secret to stdout and everything else to stderr [S-53] [S-60]", async () => {
    const { code, out, err } = await text([...create, "--user", "bob", "--days", "30"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^skh_[\w-]{43}\n$/);
    expect(err).toMatch(
      /^publisher for bob, until \d{4}-\S+Z\nValid at gateways that use the store sqlite:\S+\.\nStore the token .*\nRun `skillhold token revoke [0-9a-f-]{36}` to revoke it\.\n$/,
    );
    expect(err).not.toContain(out.trim());
  });

  test("--json returns the token and its secret [S-53]", async () => {
    await text(["agent", "add", "writer", "--runtime", "x"]);
    const { data } = await json([
      ...["token", "create", "--name", "W", "--role", "agent"],
      ...["--agent", "writer", "--user", "bob", "--by", "eve"],
    ]);
    expect(data).toEqual({
      token: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: "api",
        name: "W",
        role: "agent",
        user: "bob",
        agent: "writer",
        createdBy: "eve",
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
      secret: expect.stringMatching(/^skh_/),
    });
    expect(lifeOf(data.token)).toBe(90 * day);
  });

  test("acts as an administrator, and the default user is the account's [S-53]", async () => {
    const { data } = await json(["token", "create", "--name", "mine", "--role", "admin", "--days", "1"]);
    expect(data.token).toMatchObject({ role: "admin", user: "ann", createdBy: "ann" });
    expect(lifeOf(data.token)).toBe(day);
    const { data: log } = await json(["audit", "tail", "--type", "token.issued"]);
    expect(log.events).toMatchObject([{ event: { by: { user: "ann", role: "admin" } } }]);
  });

  test.each([
    [["token", "create", "--role", "admin"], "--name and --role are required."],
    [["token", "create", "--name", "x"], "--name and --role are required."],
    [["token", "create", "--name", "x", "--role", "root"], "--role"],
    [["token", "create", "--name", "x", "--role", "system"], "--role"],
    [["token", "create", "--name", "a\u001b[2Jb", "--role", "viewer"], "The token name contains"],
    [["token", "create", "--name", "x", "--role", "agent"], "A token with the role agent needs an agent."],
    [[...create, "--days", "0"], "--days takes a whole number, from 1 to 3650"],
    [[...create, "--days", "3651"], "--days takes a whole number, from 1 to 3650"],
    [[...create, "--days", "1.5"], "--days takes a whole number"],
  ])("%j is a usage error with a reason [S-60]", async (argv, message) => {
    const { code, error } = await json(argv);
    expect({ code, error }).toMatchObject({ code: 2, error: { message: expect.stringContaining(message) } });
  });

  test("a misspelled agent gets a suggestion [S-60]", async () => {
    await text(["agent", "add", "writer", "--runtime", "x"]);
    expect(
      await json(["token", "create", "--name", "x", "--role", "agent", "--agent", "writr"]),
    ).toMatchObject({
      code: 5,
      error: { code: "AGENT_NOT_FOUND", hint: "Did you mean writer?" },
    });
  });

  test("the store's files do not contain the secret [S-53]", async () => {
    const { data } = await json(create);
    const folder = dirname(storeFile());
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
    expect(bytes.includes(data.token.id)).toBe(true);
    expect(bytes.includes(data.secret.slice(4))).toBe(false);
  });
});

describe("token list and revoke", () => {
  test("list shows users, roles and expiry, and no secret [S-53]", async () => {
    const { data } = await json([...create, "--user", "bob"]);
    const { out, err } = await text(["token", "list"]);
    expect(out).toMatch(
      /^ID +FOR +ROLE +USER +AGENT +UNTIL +USED +NAME\n[0-9a-f-]{36} +program +publisher +bob +- +\d{4}-\S+Z +never +CI\n$/,
    );
    expect(err).toBe("1 token\n");
    const listed = await json(["token", "list"]);
    expect(listed.data).toEqual({ tokens: [data.token] });
  });

  test("an empty list explains how to create a token [S-60]", async () => {
    await text(["agent", "add", "writer", "--runtime", "x"]);
    expect(await text(["token", "list"])).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/^No tokens\./),
    });
  });

  test("revoke revokes a token, and --dry-run previews it [S-53] [S-60]", async () => {
    const { data } = await json(create);
    const { id } = data.token;
    expect((await text(["token", "revoke", id, "--dry-run"])).out).toBe(`${id}: would be revoked, CI\n`);
    expect((await json(["token", "list"])).data.tokens[0].revokedAt).toBeUndefined();
    expect((await text(["token", "revoke", id, "--by", "eve"])).out).toBe(`${id}: revoked, CI\n`);
    expect((await text(["token", "list"])).out).toMatch(/ revoked +never +CI\n$/);
    const { data: log } = await json(["audit", "tail", "--type", "token.revoked"]);
    expect(log.events).toMatchObject([{ event: { token: id, by: { user: "eve", role: "admin" } } }]);
  });

  test("an unknown token is not found, and a secret given as its id is not printed [S-53]", async () => {
    const { data } = await json(create);
    for (const id of [data.secret, "x", "7b0c1a52-6f0e-4f0a-9d3e-1f2a3b4c5d6e"]) {
      const { code, out, err } = await text(["token", "revoke", id]);
      expect(code).toBe(5);
      expect(err).toContain("Run `skillhold token list` to list the tokens.");
      expect(out + err).not.toContain(data.secret);
    }
  });

  test("list and revoke do not create a missing store [S-60]", async () => {
    expect((await text(["token", "list"])).code).not.toBe(0);
    expect(existsSync(storeFile())).toBe(false);
  });
});

describe("token sign-in", () => {
  test("prints a sign-in code that `token list` does not show [S-53]", async () => {
    const { code, out, err } = await text(["token", "sign-in"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^skh_[\w-]{43}\n$/);
    expect(err).toMatch(
      /^Signs in ann once, with the role admin, until \d{4}-\S+Z\.\nValid at gateways that use the store sqlite:\S+\.\n$/,
    );
    expect((await json(["token", "list"])).data).toEqual({ tokens: [] });
  });

  test.each([
    ["http://localhost:7878", "http://localhost:7878/sign-in#"],
    ["https://skills.example/hold//?a=b#c", "https://skills.example/hold/sign-in#"],
  ])("prints the link at %s with the code in the fragment [S-53]", async (url, start) => {
    const { out } = await text(["token", "sign-in", "--url", url]);
    expect(out.startsWith(`${start}skh_`)).toBe(true);
    const { data } = await json(["token", "sign-in", "--url", url, "--user", "eve"]);
    expect(data).toMatchObject({ user: "eve", link: `${start}${data.code}` });
  });

  test("creates a code for another user with the named role [S-53]", async () => {
    const { data } = await json(["token", "sign-in", "--user", "vic", "--role", "viewer"]);
    expect(data).toMatchObject({ user: "vic", role: "viewer" });
    expect(await json(["token", "sign-in", "--role", "agent"])).toMatchObject({ code: 2 });
    expect((await json(["audit", "tail", "--type", "token.issued"])).data).toMatchObject({
      events: [{ event: { type: "token.issued", by: { user: "ann", role: "admin" } } }],
    });
  });

  test.each(["", "localhost:7878", "ftp://localhost", "http://a:b@localhost", "javascript:alert(1)"])(
    "%j is not an address of a gateway [S-60]",
    async (url) => {
      expect(await json(["token", "sign-in", "--url", url])).toMatchObject({
        code: 2,
        error: { message: "--url is not the URL of a gateway." },
      });
      expect(existsSync(storeFile())).toBe(false);
    },
  );
});
