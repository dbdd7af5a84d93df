import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeHost, skillText } from "./fake-host.ts";
import { main } from "./main.ts";
import { registryScene } from "./registry.fixture.ts";

const { root, storeFile, text, json, skill, write } = registryScene({ beforeEach, afterEach });

const bob = { env: { SKILLHOLD_USER: "bob" } };
const asAdmin = ["--role", "admin"];

beforeEach(async () => {
  skill("secret-plan", "The plan.\n");
  skill("open-plan");
  await text(["publish", "secret-plan", "open-plan"]);
  skill("secret-plan", "The newer plan.\n");
  await text(["publish", "secret-plan"]);
  await text(["edit", "open-plan", "--visibility", "public", "--role", "admin"]);
});

interface Named {
  readonly id: string;
}

describe("a private skill of another user", () => {
  const commands = [
    ["show", "secret-plan"],
    ["read", "secret-plan"],
    ["resource", "secret-plan", "SKILL.md"],
    ["run", "secret-plan", "x.sh"],
    ["tools", "secret-plan"],
    ["explain", "secret-plan"],
    ["versions", "secret-plan"],
    ["versions", "secret-plan", "1", "--file", "SKILL.md"],
    ["diff", "secret-plan"],
    ["diff", "secret-plan", "--folder", "secret-plan"],
    ["export", "secret-plan", "--out", "x.zip"],
    ["export", "secret-plan", "--out", "out", "--format", "folder"],
    ["access", "secret-plan"],
    ["grant", "secret-plan", "--user", "bob"],
    ["disable", "secret-plan", "--source", "registry"],
    ["archive", "secret-plan", "--reason", "x"],
    ["edit", "secret-plan", "--name", "x"],
    ["rollback", "secret-plan", "1"],
    ["delete", "secret-plan"],
  ];

  test.each(commands.map((argv) => [argv]))(
    "is not there for %j, in the words for any other [S-43]",
    async (argv) => {
      const refused = await json(argv, bob);
      const missing = await json(
        argv.map((word) => (word === "secret-plan" ? "zzz-nothing" : word)),
        bob,
      );
      const unnamed = (error: unknown) => JSON.stringify(error).replaceAll(/secret-plan|zzz-nothing/g, "X");
      expect(refused).toMatchObject({ code: 5, error: { code: "SKILL_NOT_FOUND" } });
      expect(unnamed(refused.error)).toBe(unnamed(missing.error));
      expect(existsSync(join(root(), "x.zip"))).toBe(false);
    },
  );

  test("is visible to its owner, a grantee and an administrator [S-43]", async () => {
    const looks = [
      ["versions", "secret-plan"],
      ["diff", "secret-plan"],
      ["export", "secret-plan", "--out", "x.zip"],
    ];
    for (const argv of looks) {
      expect((await json(argv)).code).toBe(0);
      expect((await json([...argv, ...asAdmin], bob)).code).toBe(0);
    }
    await text(["grant", "secret-plan", "--user", "bob"]);
    for (const argv of [...looks, ["show", "secret-plan"]]) expect((await json(argv, bob)).code).toBe(0);
    await text(["revoke", "secret-plan", "--user", "bob"]);
    for (const argv of [...looks, ["show", "secret-plan"]]) expect((await json(argv, bob)).code).toBe(5);
  });

  test("appears in no list, suggestion or count [S-43]", async () => {
    await text(["disable", "secret-plan"]);
    for (const argv of [
      ["list"],
      ["search", "plan"],
      ["catalog"],
      ["doctor"],
      ["explain"],
      ["versions", "secret-pla"],
    ]) {
      const { out, err } = await text([...argv], bob);
      expect(out + err).not.toContain("secret-plan");
    }
    expect((await json(["list"], bob)).data.hidden).toEqual([]);
    expect((await text(["explain"], bob)).err).toContain(
      "1 skill of other users not shown: add --role admin to show all\n",
    );
    const { data } = await json(["explain", ...asAdmin], bob);
    expect(data.candidates.map(({ id }: Named) => id)).toContain("secret-plan");
    expect(data.unnamed).toBe(0);
    expect((await json(["versions", "secret-pla"])).error.hint).toBe("Did you mean secret-plan?");
  });

  test("can be explained to its owner as another user sees it [S-19] [S-43]", async () => {
    const { data } = await json(["explain", "secret-plan", "--user", "bob"]);
    expect(data.candidates).toMatchObject([
      {
        state: "hidden",
        reason: "no-grant",
        message: "The skill is private and not granted to the user bob.",
      },
    ]);
  });

  test("is missing from export --all of another user [S-43] [S-46]", async () => {
    const ids = async (...argv: readonly string[]) =>
      (await json(["export", "--all", "--out", "all.zip", ...argv], bob)).data.skills.map(
        ({ id }: Named) => id,
      );
    expect(await ids()).toEqual(["open-plan"]);
    expect(await ids(...asAdmin)).toEqual(["open-plan", "secret-plan"]);
  });

  test("does not shadow a folder skill for users without access [S-15] [S-43]", async () => {
    write(".agents/skills/secret-plan/SKILL.md", skillText("secret-plan", "In a folder."));
    const { data } = await json(["show", "secret-plan"], bob);
    expect(data).toMatchObject({ entry: { source: ".agents/skills" }, shadowed: [] });
    const listing = await json(["list"], bob);
    expect(listing.data).toMatchObject({ shadowed: [], hidden: [] });
    expect((await json(["explain", "secret-plan"], bob)).data.candidates).toHaveLength(1);
    expect((await json(["show", "secret-plan"])).data.entry.source).toBe("registry");
  });

  test("is reported to other users by watch only after a grant [S-18] [S-43]", async () => {
    const env = { XDG_DATA_HOME: join(root(), "../data"), SKILLHOLD_USER: "bob" };
    const { host, texts, emit } = fakeHost(root(), { env });
    const running = main(["watch", "--json"], host);
    await expect.poll(() => texts().out).toContain('"skills":1');
    skill("other-plan");
    await text(["publish", "other-plan"]);
    await text(["grant", "secret-plan", "--user", "bob"]);
    await expect.poll(() => texts().out).toContain('"changed":["secret-plan"]');
    expect(texts().out).not.toContain("other-plan");
    emit("SIGINT");
    expect(await running).toBe(130);
  });

  test("is not in use for users other than managers when it is public and disabled [S-44]", async () => {
    await text(["disable", "open-plan"]);
    expect(await json(["versions", "open-plan"], bob)).toMatchObject({
      code: 5,
      error: { message: "The skill open-plan is not in use. The skill is disabled." },
    });
    expect((await json(["versions", "open-plan"])).code).toBe(0);
  });

  test("is reported as disabled to a user with a grant, and as missing to others [S-43] [S-44]", async () => {
    await text(["grant", "secret-plan", "--user", "bob"]);
    await text(["disable", "secret-plan"]);
    const eve = { env: { ...bob.env, SKILLHOLD_USER: "eve" } };
    expect((await json(["versions", "secret-plan"], bob)).error).toMatchObject({
      message: "The skill secret-plan is not in use. The skill is disabled.",
    });
    expect((await json(["versions", "secret-plan"], eve)).error).toMatchObject({
      message: "There is no skill secret-plan.",
    });
  });
});

describe("--agent", () => {
  const seen = async (...options: readonly string[]) =>
    (await json(["list", "--agent", "writer", ...options], bob)).data.skills;

  test("applies the allow list, pins and runtime of the agent's record [S-43] [S-65]", async () => {
    skill("for-claude", "Do.\n", "runtime: [claude-code]\n");
    await text(["publish", "for-claude"]);
    await text(["edit", "for-claude", "--visibility", "public", "--role", "admin"]);
    await text(["agent", "add", "writer", "--runtime", "claude-code"]);
    await text(["grant", "secret-plan", "--agent", "writer"]);
    expect((await seen()).map(({ id }: Named) => id)).toEqual(["for-claude", "open-plan", "secret-plan"]);
    expect((await seen("--runtime", "codex")).map(({ id }: Named) => id)).toEqual([
      "open-plan",
      "secret-plan",
    ]);
    expect((await seen("--allow", "open-plan")).map(({ id }: Named) => id)).toEqual(["open-plan"]);
    await text(["agent", "edit", "writer", "--allow", "secret-plan", "--pin", "secret-plan@1"]);
    expect(await seen()).toMatchObject([{ id: "secret-plan", revision: 1 }]);
    expect(await seen("--allow", "open-plan")).toEqual([]);
    const { out } = await text(["read", "--raw", "secret-plan", "--agent", "writer"], bob);
    expect(out).toBe("The plan.\n");
    expect((await text(["explain", "secret-plan", "--agent", "writer"], bob)).out).toContain(
      "The skill is visible: granted to the agent writer. The viewer is pinned to revision 1. In the prompt.",
    );
  });

  test("with an unknown key is an error when agents exist or the store is named [S-65]", async () => {
    // The default store has no agents, so any name is accepted.
    expect((await json(["list", "--agent", "writr"])).code).toBe(0);
    expect(await json(["list", "--agent", "writr", "--source", "registry"])).toMatchObject({
      code: 5,
      error: {
        message: "There is no agent writr.",
        hint: expect.stringContaining("skillhold agent list"),
      },
    });
    await text(["agent", "add", "writer", "--runtime", "x"]);
    expect(await json(["list", "--agent", "writr"])).toMatchObject({
      code: 5,
      error: { message: "There is no agent writr.", hint: "Did you mean writer?" },
    });
    for (const options of [["--no-store"], ["--root", "open-plan"]])
      expect((await json(["list", "--agent", "writr", ...options])).code).toBe(0);
    await text(["agent", "remove", "writer"]);
    expect((await json(["list", "--agent", "writer"])).code).toBe(5);
  });
});

describe("a store that cannot be read for disabled skills", () => {
  test("blocks folder skills until --no-store is given [S-43] [S-44]", async () => {
    rmSync(`${storeFile()}-wal`, { force: true });
    writeFileSync(
      storeFile(),
      "this is no database, and it is long enough to be looked at as one. ".repeat(99),
    );
    const { code, error } = await json(["list", "--root", "open-plan"]);
    expect(code).not.toBe(0);
    expect(error.hint).toMatch(/Add --no-store to continue without the store\.$/);
    expect((await json(["list", "--root", "open-plan", "--no-store"])).data.skills).toHaveLength(1);
    expect((await json(["doctor", "--root", "open-plan"])).data.checks).toContainEqual(
      expect.objectContaining({ name: "store", status: "fail" }),
    );
  });
});
