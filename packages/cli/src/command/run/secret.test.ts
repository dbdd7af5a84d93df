import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAuditLog } from "../../audit-log.fixture.ts";
import { type FakeHostOptions, runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-secret-"));
  const needs = "metadata: { openclaw: { requires: { env: [PDF_KEY] } } }\n";
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF.", "Do.\n", needs));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const value = "sesame-open-7431";

describe("secret set", () => {
  test("reads a piped value without its last line break and never prints it [S-33] [S-60]", async () => {
    const { code, out, err } = await secret(["set", "pdf", "PDF_KEY"], { input: `${value}\n` });
    expect({ code, out, err }).toEqual({ code: 0, out: "", err: "PDF_KEY is set for pdf.\n" });
    writeFile(root, "skills/pdf/scripts/a.sh", `[ "$PDF_KEY" = ${value} ] && echo same\n`);
    if (process.platform !== "linux") return;
    const run = await runMain(["run", "pdf", "a.sh", "--yes-for-this-content"], root, { env: env() });
    expect(run.out).toBe("same\n");
  });

  test("makes the skill that declares it ready [S-8] [S-33]", async () => {
    const readiness = async () =>
      (await runJson(["list"], root, { env: env() })).data.skills[0].readiness.state;
    expect(await readiness()).toBe("needs-config");
    await secret(["set", "pdf", "PDF_KEY"], { input: value });
    expect(await readiness()).toBe("ready");
  });

  test("reads a value typed at a terminal without echo [S-33] [S-60]", async () => {
    const { code, tty } = await secret(["set", "pdf", "PDF_KEY"], { typed: `${value}\n` });
    expect(code).toBe(0);
    expect(tty).toBe("Value of PDF_KEY (hidden): \n");
    expect((await list()).data.secrets).toMatchObject([{ name: "PDF_KEY" }]);
  });

  test("stores the value encrypted, in private files [S-33]", async () => {
    await secret(["set", "pdf", "PDF_KEY"], { input: value });
    const folder = join(root, "state/skillhold");
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const entry = statSync(join(folder, name));
      expect([name, entry.mode & 0o077]).toEqual([name, 0]);
      if (entry.isFile()) expect(readFileSync(join(folder, name)).includes(value)).toBe(false);
    }
  });

  test.each([
    ["pdf", "OTHER", value, 2, "does not declare OTHER", "pdf declares PDF_KEY. Add --force"],
    ["nope", "PDF_KEY", value, 5, "There is no skill nope.", ""],
    ["pdf", "PDF_KEY", "", 2, "The value of PDF_KEY is empty.", ""],
    ["pdf", "PDF_KEY", "a\0b", 2, "has a NUL", ""],
  ])("rejects %s %s %j with exit %i [S-33]", async (skill, name, input, code, message, hint) => {
    const result = await runJson(["secret", "set", skill, name], root, { env: env(), input });
    expect(result).toMatchObject({
      code,
      error: { message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
    });
    expect((await list()).data.secrets).toEqual([]);
  });

  test("--force sets an undeclared name, but never a reserved one [S-33]", async () => {
    const forced = await secret(["set", "later", "API_KEY", "--force"], { input: value });
    expect(forced.code).toBe(0);
    const path = await secret(["set", "pdf", "PATH", "--force"], { input: "/tmp" });
    expect(path).toMatchObject({ code: 2, err: expect.stringContaining("programs act on it") });
  });

  test("accepts no value as an argument, and does not wait without input [S-33] [S-60]", async () => {
    expect((await secret(["set", "pdf", "PDF_KEY", value])).code).toBe(2);
    const closed = await secret(["set", "pdf", "PDF_KEY"], { typed: "" });
    expect(closed).toMatchObject({
      code: 2,
      err: expect.stringContaining("No value was given for PDF_KEY."),
    });
  });

  test("needs a data folder [S-33]", async () => {
    const { code, error } = await runJson(["secret", "list"], root);
    expect({ code, error }).toMatchObject({ code: 2, error: { code: "CONFIG_INVALID" } });
  });
});

describe("secret list and remove", () => {
  beforeEach(async () => {
    await secret(["set", "pdf", "PDF_KEY"], { input: value });
    await secret(["set", "pdf", "PDF_KEY", "--agent", "writer"], { input: `${value}-2` });
  });

  test("list names and never values [S-33] [S-60]", async () => {
    const { out, err } = await secret(["list", "pdf"]);
    expect(out).toMatch(/^SKILL +NAME +AGENT +SET\npdf +PDF_KEY +all .*\npdf +PDF_KEY +writer .*\n$/);
    expect(err).toBe("2 secrets\n");
    const { data } = await list();
    expect(data.secrets).toEqual([
      { skill: "pdf", name: "PDF_KEY", setAt: expect.any(String) },
      { skill: "pdf", name: "PDF_KEY", agent: "writer", setAt: expect.any(String) },
    ]);
    expect(out + JSON.stringify(data)).not.toContain("sesame");
    expect((await secret(["list", "other"])).err).toBe("0 secrets\n");
  });

  test("delete exactly the named secret [S-33] [S-60]", async () => {
    const { code, err } = await secret(["remove", "pdf", "PDF_KEY", "--agent", "writer"]);
    expect({ code, err }).toEqual({ code: 0, err: "Deleted PDF_KEY of pdf.\n" });
    expect((await list()).data.secrets).toHaveLength(1);
    const again = await runJson(["secret", "remove", "pdf", "PDF_KEY", "--agent", "writer"], root, {
      env: env(),
    });
    expect(again).toMatchObject({ code: 5, error: { hint: expect.stringContaining("secret list") } });
  });
});

describe("the record of secrets", () => {
  const recorded = async () =>
    (await readAuditLog(join(root, "state"))).filter(({ type }) => type.startsWith("secret."));

  test("names the users who set and removed a secret, without its value [S-33] [S-62]", async () => {
    const who = { env: { ...env(), SKILLHOLD_USER: "ann" } };
    await secret(["set", "pdf", "PDF_KEY", "--agent", "writer"], { ...who, input: value });
    await secret(["remove", "pdf", "PDF_KEY", "--agent", "writer"], who);
    await secret(["remove", "pdf", "PDF_KEY", "--agent", "writer"], who);
    const about = { by: { user: "ann", role: "admin" }, skill: "pdf", name: "PDF_KEY", agent: "writer" };
    const events = await recorded();
    expect(events).toMatchObject([
      { type: "secret.set", ...about },
      { type: "secret.removed", ...about },
    ]);
    expect(JSON.stringify(events)).not.toContain(value);
  });

  test("has no event for a rejected change [S-62]", async () => {
    await secret(["set", "pdf", "PATH", "--force"], { input: value });
    await secret(["set", "Not An Id", "API_KEY", "--force"], { input: value });
    await secret(["set", "pdf", "PDF_KEY"], { input: "" });
    await secret(["list"]);
    expect(await recorded()).toEqual([]);
    expect((await list()).data.secrets).toEqual([]);
  });

  test("must be writable before a secret is removed [S-33] [S-62]", async () => {
    await secret(["set", "pdf", "PDF_KEY"], { input: value });
    const broken = { env: { ...env(), SKILLHOLD_STORE: `sqlite:${root}` } };
    expect((await secret(["remove", "pdf", "PDF_KEY"], broken)).code).not.toBe(0);
    expect((await list()).data.secrets).toHaveLength(1);
    expect((await recorded()).map(({ type }) => type)).toEqual(["secret.set"]);
  });

  test("must be writable before a secret is set [S-33] [S-62]", async () => {
    const broken = { env: { ...env(), SKILLHOLD_STORE: `sqlite:${root}` } };
    const set = await secret(["set", "pdf", "PDF_KEY", "--force"], { ...broken, input: value });
    expect(set.code).not.toBe(0);
    expect((await list()).data.secrets).toEqual([]);
  });
});

function secret(args: readonly string[], options: FakeHostOptions = {}) {
  return runMain(["secret", ...args], root, { env: env(), ...options });
}

function list() {
  return runJson(["secret", "list"], root, { env: env() });
}

function env() {
  return { XDG_DATA_HOME: join(root, "state") };
}
