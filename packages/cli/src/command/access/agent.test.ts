import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

const writer = ["agent", "add", "writer", "--runtime", "claude-code"];

describe("agent add", () => {
  test("stores an agent with all given fields [S-65]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    const { code, data } = await json([
      ...writer,
      "--name",
      "The Writer",
      "--allow",
      "pdf, docx",
      "--pin",
      "pdf@1",
    ]);
    expect(code).toBe(0);
    expect(data).toEqual({
      agent: {
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        key: "writer",
        displayName: "The Writer",
        runtime: "claude-code",
        allow: ["pdf", "docx"],
        pins: { pdf: 1 },
        owner: "ann",
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      notes: [],
      isDryRun: false,
    });
    const { out, err } = await text(["agent", "add", "reader", "--runtime", "codex"]);
    expect(out).toBe("reader: added, runtime codex\n");
    expect(err).toBe("Run `skillhold grant <skill> --agent reader` to let it use a skill.\n");
  });

  test("an empty --allow means no skill, and without --allow an agent may use all granted skills [S-65]", async () => {
    expect((await json([...writer, "--allow", ""])).data.agent.allow).toEqual([]);
    expect((await json(["agent", "add", "b", "--runtime", "x"])).data.agent.allow).toBeUndefined();
    const { out } = await text(["agent", "list"]);
    expect(out).toMatch(/^KEY .*\nb +x +all +0 +ann +b\nwriter +claude-code +none +0 +ann +writer\n$/);
  });

  test("reads the runtime from a manifest and rejects an invalid one [S-65]", async () => {
    write("agent.yaml", "id: writer\nruntime: molecule\nallow: [pdf]\n");
    const { data } = await json(["agent", "add", "writer", "--manifest", "agent.yaml"]);
    expect(data.agent).toMatchObject({
      runtime: "molecule",
      manifest: expect.stringContaining("allow: [pdf]"),
    });
    write("bad.yaml", "id: x\nruntime: y\nallow: nonsense\n");
    const bad = ["agent", "add", "x", "--runtime", "y", "--manifest", "bad.yaml"];
    expect(await json(bad)).toMatchObject({
      code: 2,
      error: { code: "USAGE", message: expect.stringContaining("allow") },
    });
    write("big.yaml", "a".repeat(1_000_000));
    expect((await json([...bad.slice(0, -1), "big.yaml"])).error.code).toBe("LIMIT_EXCEEDED");
    expect((await json([...bad.slice(0, -1), "none.yaml"])).error.code).toBe("PATH_NOT_FOUND");
    write("odd.yaml", new Uint8Array([0xff, 0xfe, 0x00]));
    expect((await json([...bad.slice(0, -1), "odd.yaml"])).error.message).toBe("odd.yaml is not UTF-8 text.");
  });

  test("reports the problem of a manifest that should name the runtime [S-65]", async () => {
    write("broken.yaml", "id: [x\n");
    const { code, error } = await json(["agent", "add", "x", "--manifest", "broken.yaml"]);
    expect([code, error.message]).toEqual([2, expect.stringMatching(/^The manifest is invalid: /)]);
  });

  test("notes unknown fields of a manifest [S-65]", async () => {
    write("typo.yaml", "id: x\nruntime: y\nalow: [pdf]\n");
    const note = "The field alow is unknown and ignored.";
    expect((await text(["agent", "add", "x", "--manifest", "typo.yaml"])).err).toContain(`note: ${note}\n`);
    write("typo.yaml", "id: x\nruntime: z\nalow: [pdf]\n");
    expect((await json(["agent", "edit", "x", "--manifest", "typo.yaml"])).data.notes).toEqual([note]);
  });

  test("notes that a pin to a missing revision hides the skill [S-43]", async () => {
    const { code, err } = await text([...writer, "--pin", "pdf@7"]);
    expect(code).toBe(0);
    expect(err).toContain("note: pdf has no revision 7, so the agent cannot see pdf.\n");
  });

  test.each([
    [["agent", "add", "writer"], "--runtime is required."],
    [[...writer, "--pin", "pdf"], '--pin "pdf" is not <skill>@<revision>.'],
    [[...writer, "--pin", "pdf@0"], '"0" is not a revision number.'],
    [[...writer, "--pin", "pdf@1", "--pin", "pdf@2"], "--pin names pdf twice. Keep one of the pins."],
    [[...writer, "--pin", "__proto__@1"], "which is not a skill id"],
    [[...writer, "--allow", "No Id"], "which is not a skill id"],
    [["agent", "add", "a b", "--runtime", "x"], "Use 1 to 128 letters"],
  ])("%j is a usage error with a reason [S-60]", async (argv, message) => {
    const { code, error } = await json(argv);
    expect({ code, error }).toMatchObject({ code: 2, error: { message: expect.stringContaining(message) } });
  });

  test("a key is unique and stays reserved after its agent is removed [S-65]", async () => {
    await text(writer);
    expect(await json(writer)).toMatchObject({ code: 6, error: { code: "CONFLICT" } });
    await text(["agent", "remove", "writer"]);
    expect((await json(writer)).code).toBe(6);
  });

  test("--dry-run does not create the store [S-60]", async () => {
    expect((await text([...writer, "--dry-run"])).out).toBe("writer: would be added, runtime claude-code\n");
    expect(existsSync(storeFile())).toBe(false);
  });
});

describe("agent edit, show, list and remove", () => {
  beforeEach(async () => {
    skill("pdf");
    skill("docx");
    await text(["publish", "pdf", "docx"]);
    await text([...writer, "--pin", "pdf@1"]);
  });

  test("edit changes the given fields, adds pins and keeps the rest [S-65]", async () => {
    const { data } = await json(["agent", "edit", "writer", "--allow", "pdf", "--pin", "docx@1"]);
    expect(data).toMatchObject({ status: "changed", agent: { allow: ["pdf"], pins: { pdf: 1, docx: 1 } } });
    const more = ["agent", "edit", "writer", "--allow-all", "--unpin", "pdf"];
    expect((await text([...more, "--dry-run"])).out).toBe("writer: would be changed\n");
    expect((await json(more)).data.agent).toMatchObject({ runtime: "claude-code", pins: { docx: 1 } });
    expect((await text(["agent", "edit", "writer", "--allow-all"])).out).toBe("writer: unchanged\n");
    expect((await json(["agent", "edit", "writer", "--no-manifest"])).data.status).toBe("unchanged");
  });

  test("edit without options is a usage error, and editing an agent of another user is rejected [S-60] [S-65]", async () => {
    expect((await json(["agent", "edit", "writer"])).code).toBe(2);
    expect((await json(["agent", "edit", "writer", "--allow", "x", "--allow-all"])).code).toBe(2);
    const { code, error } = await json(["agent", "edit", "writer", "--name", "x", "--user", "bob"]);
    expect({ code, error }).toEqual({
      code: 4,
      error: {
        code: "POLICY_DENIED",
        message: "The agent writer belongs to another user.",
        hint: "Ask its owner or an administrator. If you are an administrator, add --role admin.",
      },
    });
    const admin = ["--user", "bob", "--role", "admin"];
    expect((await json(["agent", "edit", "writer", "--name", "x", ...admin])).code).toBe(0);
  });

  test("show lists grants to the agent's owner and to users who may see the skills [S-65]", async () => {
    await text(["grant", "pdf", "--agent", "writer", "--pin", "1"]);
    const { out, err } = await text(["agent", "show", "writer"]);
    expect(out).toMatch(/^writer\n {2}runtime +claude-code\n {2}skills +all\n {2}pins +pdf@1\n/);
    expect(out).toMatch(/\nSKILL +PIN +MANAGES +BY +SINCE\npdf +1 +no +ann +\d{4}-/);
    expect(err).toBe("1 grant for writer\n");
    expect((await json(["agent", "show", "writer", "--user", "bob"])).data.grants).toEqual([]);
    const admin = await json(["agent", "show", "writer", "--user", "bob", "--role", "admin"]);
    expect(admin.data.grants).toMatchObject([{ skill: "pdf", pin: 1, grantedBy: "ann" }]);
  });

  test("remove also revokes the grants, and the skill becomes private again [S-43] [S-65]", async () => {
    await text(["grant", "pdf", "--agent", "writer"]);
    const preview = await text(["agent", "remove", "writer", "--dry-run"]);
    expect(preview).toMatchObject({
      out: "writer: would be removed\n",
      err: "1 grant would be revoked: pdf\n",
    });
    expect((await json(["access", "pdf"])).data.skill.visibility).toBe("internal");
    const { data } = await json(["agent", "remove", "writer"]);
    expect(data).toMatchObject({ agent: { key: "writer" }, revoked: ["pdf"], isDryRun: false });
    expect((await json(["access", "pdf"])).data.skill.visibility).toBe("private");
    expect((await text(["agent", "list"])).err).toMatch(/^No agents\./);
  });

  test("a misspelled key gets a suggestion [S-60]", async () => {
    for (const argv of [
      ["agent", "show", "writr"],
      ["agent", "remove", "writr"],
      ["grant", "pdf", "--agent", "writr"],
      ["access", "pdf", "--agent", "writr"],
    ])
      expect(await json(argv)).toMatchObject({
        code: 5,
        error: { message: "There is no agent writr.", hint: "Did you mean writer?" },
      });
  });

  test("control characters do not reach the terminal [S-21]", async () => {
    const { code, error } = await json(["agent", "edit", "writer", "--name", "a\u001b[2Jb"]);
    expect({ code, error }).toMatchObject({ code: 2, error: { code: "USAGE" } });
  });
});

describe("the manifest of an agent", () => {
  const manifest = (fields: string) => write("agent.yaml", `id: writer\nruntime: claude-code\n${fields}`);

  test("an unknown skill in it is rejected with a code [S-23]", async () => {
    skill("pdf");
    await text(["publish", "pdf"]);
    manifest("uses_skills: [pfd]\n");
    const add = ["agent", "add", "writer", "--manifest", "agent.yaml"];
    const { code, error } = await json(add);
    expect(code).not.toBe(0);
    expect(error).toMatchObject({ code: "SKILL_NOT_FOUND", hint: "Did you mean pdf?" });
    manifest("uses_skills: [pdf]\n");
    expect((await text(add)).code).toBe(0);
    manifest("pins: [nosuch]\n");
    const edit = await json(["agent", "edit", "writer", "--manifest", "agent.yaml"]);
    expect(edit.error).toMatchObject({ code: "SKILL_NOT_FOUND" });
  });

  test("its pins come first in the catalogue, and --instructions prints the skills it uses [S-23] [S-62]", async () => {
    for (const id of ["docx", "pdf", "xlsx"]) {
      skill(id, `Body of ${id}.\n`);
      await text(["publish", id]);
    }
    manifest("uses_skills: [docx]\npins: [xlsx]\ninstructions: Be brief.\n");
    await text(["agent", "add", "writer", "--manifest", "agent.yaml"]);
    const catalog = ["catalog", "--agent", "writer"];
    const { data } = await json(catalog);
    expect(data.inline).toEqual(["xlsx", "docx", "pdf"]);
    const { out } = await text([...catalog, "--instructions"]);
    expect(out).toMatch(/`xlsx`[\s\S]*Body of docx\.[\s\S]*Be brief\.\n$/);
    const { out: log } = await text(["audit", "tail", "--type", "skill.activated"]);
    expect(log).toContain("docx");
  });
});
