import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegistryStore } from "@skillhold/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Check } from "../../doctor/check.ts";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-doctor-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("doctor", () => {
  test("passes all checks for a valid skill [S-19] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "See [forms](references/forms.md#top).\n"));
    writeFile(root, "skills/pdf/references/forms.md", "");
    const { code, checks } = await diagnose();
    expect(code).toBe(0);
    for (const name of ["node", "pinned node", "source skills", "invalid skills", "shadowed skills"])
      expect(checks.get(name)).toMatchObject({ status: "ok", fix: null });
    expect(checks.get("links")).toMatchObject({ status: "ok" });
    expect(checks.get("readiness")).toMatchObject({ status: "ok" });
    expect(checks.get("source skills")?.message).toContain("1 skill folder in skills");
  });

  test("fails on an invalid skill and prints the position and the fix [S-19]", async () => {
    writeFile(root, "skills/none/SKILL.md", "none\n");
    const { code, checks } = await diagnose();
    expect(code).toBe(1);
    expect(checks.get("invalid skills")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("skillhold list --invalid"),
      details: [expect.stringMatching(/^skills\/none\/SKILL\.md:1:1 The file/)],
    });
  });

  test("reports workspaces with a missing skill, an invalid config or no folder [S-56] [S-60]", async () => {
    const config = (name: string, skills: string) =>
      writeFile(root, `workspaces/${name}/config.yaml`, `name: ${name}\nskills: ${skills}\n`);
    const check = async (folder: string) =>
      (await diagnose({}, "--workspaces", folder)).checks.get("workspaces");
    expect((await diagnose()).checks.get("workspaces")).toMatchObject({ status: "ok" });
    config("seo", "[]");
    writeFile(root, "workspaces/seo/system-prompt.md", "You are SEO.\n");
    expect(await check("workspaces")).toMatchObject({ status: "ok", details: [] });
    config("seo", "[gone]");
    config("broken", "[a");
    writeFile(root, "workspaces/broken/system-prompt.md", "x\n");
    const { status, details } = (await check("workspaces")) ?? {};
    expect([status, details]).toEqual([
      "fail",
      [expect.stringMatching(/^broken: /), expect.stringMatching(/^seo: The skill gone is listed/)],
    ]);
    expect(await check("nowhere")).toMatchObject({
      status: "fail",
      details: [expect.stringContaining("does not exist")],
    });
  });

  test("reports the last failed push of a workspace in the store [S-56]", async () => {
    const env = { XDG_DATA_HOME: join(root, "data"), SKILLHOLD_USER: "ann" };
    const added = await runMain(["agent", "add", "seo", "--runtime", "my-agent"], root, { env });
    expect(added.code).toBe(0);
    const store = await openRegistryStore(`sqlite:${join(root, "data/skillhold/registry.db")}`, {
      create: false,
    });
    const at = "2026-05-01T10:00:00.000Z";
    const pushes = [{ url: "https://a.example", at, ok: false, message: "Refused." }];
    const none = {
      parent: undefined,
      url: undefined,
      card: undefined,
      cardHash: undefined,
      cardAt: undefined,
    };
    const health = { errorRate: 0, sampleError: "", activeTasks: 0, uptimeSeconds: 0, pushes };
    await store.transaction((tx) =>
      tx.putWorkspace({
        ...none,
        agent: "seo",
        status: "online",
        task: "",
        health,
        heartbeatAt: at,
        createdAt: at,
        updatedAt: at,
      }),
    );
    await store.close();
    expect((await diagnose(env)).checks.get("workspaces")).toMatchObject({
      status: "warn",
      details: ["seo: the last push to https://a.example at 2026-05-01T10:00:00.000Z failed: Refused."],
    });
  });

  test("warns about shadowed skills, missing requirements, dead links and links not followed [S-8] [S-15] [S-16] [S-19]", async () => {
    const needs = "metadata: { openclaw: { requires: { env: [PDF_KEY], bins: [no-such-program] } } }\n";
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "\n[a](gone.md) [b](../x.md)\n", needs));
    writeFile(root, ".agents/skills/pdf/SKILL.md", skillText("pdf", "Another."));
    writeFile(root, "outside/SKILL.md", skillText("outside", "x"));
    symlinkSync(join(root, "outside"), join(root, "skills/linked"));
    const { code, checks } = await diagnose();
    expect(code).toBe(0);
    const details = (name: string) => [checks.get(name)?.status, checks.get(name)?.details];
    expect(details("shadowed skills")).toEqual([
      "warn",
      ["pdf: .agents/skills/pdf is shadowed by skills/pdf (skills)"],
    ]);
    expect(details("readiness")).toEqual([
      "warn",
      [expect.stringMatching(/^pdf \(missing-deps\): .*no-such-program.*PDF_KEY/)],
    ]);
    expect(details("links")).toEqual([
      "warn",
      ["pdf: SKILL.md:7 gone.md does not exist", "pdf: SKILL.md:7 ../x.md is not a path inside the skill"],
    ]);
    expect(details("source skills")).toEqual(["warn", [expect.stringMatching(/^linked: .*not followed/)]]);
  });

  test("lists the skills that cannot be served as MCP skills, with the reason [S-19] [S-57]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x"));
    expect((await diagnose()).checks.get("skills over mcp")).toMatchObject({ status: "ok" });
    writeFile(root, "skills/typed/SKILL.md", skillText("typed", "x", "", "metadata: { version: 1.0 }\n"));
    const { code, checks } = await diagnose();
    expect(code).toBe(0);
    expect(checks.get("skills over mcp")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("--profile mcp"),
      details: ["typed: Below `metadata`, `version` is not a string for every YAML reader."],
    });
  });

  test("reports which programs are on PATH without starting them [S-60]", async () => {
    const started = join(root, "started");
    const python = writeFile(root, "bin/python3", `#!/bin/sh\ntouch ${started}\n`);
    chmodSync(python, 0o755);
    const { checks } = await diagnose({ PATH: join(root, "bin") });
    expect(checks.get("python3")?.status).toBe("ok");
    expect(checks.get("git")).toMatchObject({ status: "warn", fix: "Install Git." });
    expect((await runMain(["validate", started], root)).code).toBe(5);
  });

  test.runIf(process.platform === "linux")(
    "reports the state of the sandbox and caches it [S-29] [S-60]",
    async () => {
      const env = { XDG_CACHE_HOME: join(root, "cache") };
      expect((await diagnose(env)).checks.get("sandbox")).toMatchObject({
        status: "ok",
        message: expect.stringMatching(/^Scripts run in bubblewrap \d/),
      });
      const memory = join(root, "cache/skillhold/bubblewrap.json");
      const text = readFileSync(memory, "utf8");
      writeFileSync(memory, text.replace(/"version":"[^"]*"/, '"version":"remembered"'));
      expect((await diagnose(env)).checks.get("sandbox")?.message).toBe(
        "Scripts run in bubblewrap remembered, and reach the network only through the egress proxy.",
      );
    },
  );

  test("reports the state of the cache [S-17]", async () => {
    expect((await diagnose()).checks.get("cache")?.status).toBe("warn");
    const env = { XDG_CACHE_HOME: join(root, "cache") };
    expect((await diagnose(env)).checks.get("cache")?.message).toMatch(/^cache\/skillhold\/index\.db has \d/);
    writeFile(root, "file", "");
    const blocked = await diagnose({ XDG_CACHE_HOME: join(root, "file") });
    expect(blocked.checks.get("cache")).toMatchObject({ status: "warn", fix: expect.any(String) });
    symlinkSync("loop", join(root, "loop"));
    const loop = await diagnose({ XDG_CACHE_HOME: join(root, "loop") });
    expect(loop.checks.get("cache")).toMatchObject({ status: "warn", fix: expect.any(String) });
  });

  test("lists malformed runtimes, long instructions and skills for other runtimes [S-7] [S-11]", async () => {
    writeFile(root, "skills/odd/SKILL.md", skillText("odd", "x", "Do it.\n", "runtime: 123\n"));
    writeFile(root, "skills/long/SKILL.md", skillText("long", "x", "many words ".repeat(20_000)));
    const malformed = await diagnose();
    expect(malformed.code).toBe(0);
    expect(malformed.checks.get("loading")).toMatchObject({
      status: "warn",
      message: "2 warnings while loading skills.",
      details: [
        expect.stringMatching(/^long: The instructions are about \d+ tokens long; 8000 is/),
        expect.stringMatching(/^odd: The field `runtime` is neither/),
      ],
    });
    rmSync(join(root, "skills/odd"), { recursive: true });
    rmSync(join(root, "skills/long"), { recursive: true });
    writeFile(root, "skills/other/SKILL.md", skillText("other", "x", "Do it.\n", "runtime: [crewai]\n"));
    expect((await diagnose({}, "--runtime", "langgraph")).checks.get("loading")).toMatchObject({
      status: "ok",
      details: ["Skipping skill other: runtime=[crewai] not compatible with current=langgraph"],
    });
  });

  test("reports updates, trusted keys and the policy program [S-47] [S-52]", async () => {
    const data = join(root, "data/skillhold");
    const env = { XDG_DATA_HOME: join(root, "data"), PATH: process.env["PATH"] ?? "" };
    const first = await diagnose(env);
    for (const name of ["updates", "signers", "guard", "git"])
      expect([name, first.checks.get(name)?.status]).toEqual([name, "ok"]);
    const skills = { pdf: { status: "outdated", latest: "1.2.0" }, docx: { status: "current" } };
    const checks = { "/project": { at: "2026-11-01T00:00:00.000Z", skills } };
    writeFile(root, "data/skillhold/install.json", JSON.stringify({ version: 1, checks }));
    writeFile(root, "data/skillhold/trust/allowed_signers", "ann ssh-unknown AAAA\n");
    chmodSync(data, 0o700);
    chmodSync(join(data, "trust"), 0o700);
    chmodSync(join(data, "trust/allowed_signers"), 0o600);
    const second = await diagnose({ ...env, SKILLHOLD_GUARD_PROGRAM: join(root, "no-such-program") });
    expect(second.code).toBe(1);
    expect(second.checks.get("updates")).toMatchObject({
      status: "warn",
      message: "2 installed skills, 1 outdated at the last check.",
      details: ["pdf: outdated (1.2.0) in /project, checked 2026-11-01"],
    });
    expect(second.checks.get("signers")).toMatchObject({
      status: "warn",
      details: [expect.stringContaining("allowed_signers:1")],
    });
    expect(second.checks.get("guard")).toMatchObject({ status: "fail" });
  });

  test("explains the first step in an empty folder [S-60]", async () => {
    const { code, out, err } = await runMain(["doctor"], root);
    expect(code).toBe(0);
    expect(out).toContain("warn sources: No folder with skills");
    expect(out).toContain("     fix: Create .agents/skills");
    expect(err).toMatch(/^\d+ ok, \d+ warn, 0 fail\n$/);
  });

  test("prints five details per check and all of them with --json [S-60]", async () => {
    for (let index = 0; index < 8; index += 1) writeFile(root, `skills/s${index}/SKILL.md`, "none\n");
    const { out } = await runMain(["doctor"], root);
    expect(out).toContain("… and 3 more; --json lists all\n");
  });
});

async function diagnose(env: Readonly<Record<string, string>> = {}, ...options: readonly string[]) {
  const { code, data } = await runJson(["doctor", ...options], root, { env });
  const checks = new Map<string, Check>(data.checks.map((check: Check) => [check.name, check]));
  return { code, checks };
}
