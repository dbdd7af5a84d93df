import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { FAKE_NPM } from "@skillhold/deps/test/environment/environment.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAuditLog } from "../../audit-log.fixture.ts";
import { type FakeHostOptions, runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-deps-"));
  chmodSync(root, 0o755);
  addSkill("pdf", {
    "scripts/read.py":
      "import json\nimport zzz_reader\ntry:\n  import zzz_extra\nexcept ImportError:\n  pass\n",
    "scripts/make.mjs": 'import isNumber from "is-number";\nimport fs from "node:fs";\n',
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("deps scan", () => {
  test("lists the dependencies of each skill and their locations as JSON [S-34] [S-60]", async () => {
    const { code, data } = await json(["scan", "skills"]);
    expect(code).toBe(0);
    expect(data.problems).toEqual([]);
    expect(data.skills).toMatchObject([{ path: "skills/pdf", id: "pdf", notes: [] }]);
    expect(data.skills[0].dependencies).toEqual([
      found("npm", "is-number", "scripts/make.mjs", 1),
      { ...found("pip", "zzz_extra", "scripts/read.py", 4), optional: true },
      found("pip", "zzz_reader", "scripts/read.py", 2),
      found("runtime", "node", "scripts/make.mjs", 1),
      found("runtime", "python3", "scripts/read.py", 1),
    ]);
  });

  test("accepts paths, folders, SKILL.md files and ids together, each skill once [S-34] [S-60]", async () => {
    addSkill("docx", {});
    const first = await json([
      "scan",
      "skills",
      "skills/pdf",
      "skills/docx/SKILL.md",
      join(root, "skills/docx"),
    ]);
    expect(first.data.skills.map(({ id }: { id: string }) => id)).toEqual(["docx", "pdf"]);
    const byId = await json(["scan", "pdf", "--root", "skills"]);
    expect(byId.data.skills).toMatchObject([{ id: "pdf", path: join(root, "skills/pdf") }]);
    const all = await json(["scan"]);
    expect(all.data.skills.map(({ id }: { id: string }) => id)).toEqual(["docx", "pdf"]);
  });

  test("scans 300 folders in the order of the arguments [S-34] [S-60]", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `s-${index}`);
    for (const name of names) addSkill(name, { "a.py": `import zzz_${name.slice(2)}\n` }, "many");
    const { data } = await json(["scan", ...names.map((name) => `many/${name}`)]);
    expect(data.skills.map(({ path }: { path: string }) => path)).toEqual(
      names.map((name) => `many/${name}`),
    );
    expect(data.skills[299].dependencies[0]).toMatchObject({ name: "zzz_299" });
  });

  test("notes a skill that cannot be packed and scans the others [S-34]", async () => {
    for (let file = 0; file < 2100; file += 1) writeFile(root, `skills/large/${file}.txt`, "");
    writeFile(root, "skills/large/SKILL.md", skillText("large", "Too large."));
    const { code, data } = await json(["scan", "skills"]);
    expect(code).toBe(0);
    expect(data.skills).toMatchObject([
      { id: "large", dependencies: [], notes: [{ file: ".", message: expect.stringContaining("2000") }] },
      { id: "pdf" },
    ]);
  });

  test("prints a table without control characters of skills [S-60]", async () => {
    addSkill("odd", { "requirements.txt": "\u001b[2J==1\n" });
    const { out, err } = await start(["scan", "skills"]);
    expect(out).toMatch(/^SKILL +DEPENDENCY +IMPORT +NEEDED +DECLARED +SEEN\n/);
    expect(out).toMatch(/pdf +pip:zzz_extra +optional +no +scripts\/read.py:4\n/);
    expect(err).toContain("note: odd: requirements.txt: line 1 ");
    expect(out + err).not.toContain("\u001b");
    expect(err).toContain("2 skills, 5 dependencies\n");
  });

  test.each([
    [["scan", "none/here"], 5, "The path none/here does not exist."],
    [["scan", "nope", "--root", "skills"], 5, "There is no skill nope."],
    [["scan", "file.txt"], 5, "file.txt is not a folder."],
    [["install", "nope"], 5, "There is no skill nope."],
  ])("%j exits %i with a reason [S-60]", async (args, code, message) => {
    writeFile(root, "file.txt", "");
    expect(await json(args)).toMatchObject({ code, error: { message: expect.stringContaining(message) } });
  });
});

describe.runIf(process.platform === "linux")("deps check", () => {
  test("reports each dependency and exits 3 when a required one is missing [S-35] [S-38]", async () => {
    const { code, data } = await json(["check", "skills/pdf"]);
    expect(code).toBe(3);
    const [skill] = data.skills;
    expect(skill.dependencies.map(({ name, answer }: Record<string, string>) => `${name} ${answer}`)).toEqual(
      ["is-number missing", "zzz_extra missing", "zzz_reader missing", "node ok", "python3 ok"],
    );
    expect(skill).toMatchObject({
      id: "pdf",
      environment: null,
      state: { state: "missing", missing: ["npm:is-number", "pip:zzz_reader"], unknown: [] },
    });
    const { err } = await start(["check", "skills/pdf"]);
    expect(err).toContain("pdf: Missing: npm:is-number, pip:zzz_reader.\n");
    expect(err).toContain("`skillhold deps install pdf --root skills/pdf`");
  });

  test("works without a data folder, which installing requires [S-35] [S-36] [S-38]", async () => {
    writeFile(root, "file", "");
    for (const data of [{}, { XDG_DATA_HOME: join(root, "file") }]) {
      const options = { env: { PATH: process.env["PATH"], ...data } };
      const checked = await json(["check", "skills/pdf"], options);
      expect(checked.code).toBe(3);
      expect(checked.data.skills).toMatchObject([{ state: { isUnsupported: true } }]);
      const { err } = await start(["check", "skills/pdf"], options);
      expect(err).toContain("pdf: Missing, and packages cannot be installed here: npm:is-number");
      expect(err).not.toContain("skillhold deps install");
      expect(await json(["install", "pdf", ...own, "--yes"], options)).toMatchObject({
        code: 2,
        error: { code: "CONFIG_INVALID", hint: expect.stringContaining("XDG_DATA_HOME") },
      });
    }
  });

  test("exits 0 when only optional dependencies are missing [S-38]", async () => {
    addSkill("soft", { "a.py": "import json\ntry:\n  import zzz_extra\nexcept ImportError:\n  pass\n" });
    const { code, err } = await start(["check", "skills/soft"]);
    expect(code).toBe(0);
    expect(err).toBe("1 skill, 1 ok\n");
  });
});

describe.runIf(process.platform === "linux")("deps install", () => {
  test("is denied for a third-party skill, whatever the options [S-28] [S-36]", async () => {
    const { code, error } = await json(["install", "pdf", "npm:is-number", "--yes"]);
    expect({ code, error }).toMatchObject({
      code: 4,
      error: { code: "POLICY_DENIED", hint: expect.stringContaining("--trust-project") },
    });
    const trusted = await json(["install", "pdf", "npm:is-number", "--yes", "--trust-project"], fakeNpm());
    expect(trusted.data.results).toMatchObject([{ spec: "npm:is-number", status: "ok" }]);
  });

  test("needs an approval, and without a terminal fails with a hint [S-28] [S-36]", async () => {
    const { code, error } = await json(["install", "pdf", "npm:is-number", ...own]);
    expect({ code, error }).toMatchObject({
      code: 4,
      error: { code: "APPROVAL_REQUIRED", hint: expect.stringContaining("--yes") },
    });
    const refused = await start(["install", "pdf", "npm:is-number", ...own], { typed: "n\n" });
    expect(refused.code).toBe(4);
    expect(refused.tty).toContain("  Act        install npm:is-number\n");
  });

  test("--dry-run prints the commands without asking or running them [S-36]", async () => {
    const { code, data } = await json(["install", "pdf", ...own, "--dry-run"], fakeNpm());
    expect(code).toBe(0);
    expect(data.results).toMatchObject([
      {
        spec: "npm:is-number",
        status: "skipped",
        message: expect.stringMatching(/Would run: .*-- is-number$/),
      },
      { spec: "pip:zzz_reader", status: "skipped" },
    ]);
    expect(data.environment).toBeUndefined();
    expect(await readAudit()).not.toContain("run.requested");
  });

  test("installs a program with the package that the skill names [S-36]", async () => {
    const step = "{ kind: node, package: zzz-tool-cli, bins: [zzz-tool] }";
    const fields = `metadata: { openclaw: { requires: { bins: [zzz-tool] }, install: [${step}] } }\n`;
    writeFile(root, "skills/way/SKILL.md", skillText("way", "Needs a tool.", "Do.\n", fields));
    const { data } = await json(["install", "way", ...own, "--dry-run"], fakeNpm());
    expect(data.results).toMatchObject([{ spec: "npm:zzz-tool-cli", status: "skipped" }]);
  });

  test("installs the named packages, reports each one and checks again [S-36] [S-38]", async () => {
    const { code, out, err } = await start(
      ["install", "pdf", "npm:is-number", "npm:bad-one", ...own, "--yes"],
      fakeNpm(),
    );
    expect(code).toBe(1);
    expect(out).toContain("installed npm:is-number\n");
    expect(out).toMatch(/failed npm:bad-one: .*404/);
    expect(err).toContain("installing npm:is-number\n");
    expect(err).toContain("pdf: Missing: pip:zzz_reader.\n");
    expect(await readAudit()).toContain('"act":"install","target":"npm:is-number,npm:bad-one"');
    const { data } = await json(["check", "skills/pdf"], fakeNpm());
    expect(data.skills[0].state.missing).toEqual(["pip:zzz_reader"]);
    expect(data.skills[0].environment).toContain("environments");
  });

  test("asks at a terminal, and installs for all skills with --global [S-28] [S-36]", async () => {
    addSkill("other", { "a.mjs": 'import "is-number";\n' });
    const args = ["install", "pdf", "npm:is-number", ...own, "--global"];
    const { code } = await start(args, { ...fakeNpm(), typed: "y\n" });
    expect(code).toBe(3);
    expect((await json(["check", "skills/other"], fakeNpm())).code).toBe(0);
  });

  test("prints the command for a system package instead of running it [S-36]", async () => {
    const { code, data } = await json(["install", "pdf", "apt:zzz-tool", ...own, "--yes"]);
    expect(code).toBe(3);
    expect(data.results).toMatchObject([
      {
        status: "manual",
        message: expect.stringMatching(/^Run as an administrator: apt-get install/),
      },
    ]);
  });

  test("reports that no dependency is missing [S-36]", async () => {
    addSkill("whole", { "a.py": "import json\n" });
    const { code, err } = await start(["install", "whole", ...own]);
    expect(code).toBe(0);
    expect(err).toContain("whole has no missing dependencies.\n");
  });
});

describe("runtimes", () => {
  test("lists interpreters and package managers with versions [S-37]", async () => {
    const { code, data } = await runJson(["runtimes"], root, { env: { PATH: process.env["PATH"] } });
    expect(code).toBe(0);
    const names = data.runtimes.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["python3", "pip3", "node", "npm", "uv", "bwrap", "doas", "sudo"]);
    expect(data.runtimes[2]).toMatchObject({ name: "node", available: true, version: process.versions.node });
    expect(data.ready).toBe(
      data.runtimes.every(
        (each: { available: boolean; required: boolean }) => each.available || !each.required,
      ),
    );
  });

  test("prints a table and reports missing programs [S-37] [S-60]", async () => {
    const { out, err } = await runMain(["runtimes"], root, { env: { PATH: root } });
    expect(out).toMatch(/^NAME +STATE +VERSION +NEEDED +PATH\n/);
    expect(out).toMatch(/npm +missing +- +yes +-\n/);
    expect(err).toBe("Some required programs are missing.\n");
  });

  test("are part of the doctor report, with missing dependencies [S-37] [S-38]", async () => {
    const { data } = await runJson(["doctor"], root, { env: env() });
    const checks = new Map(data.checks.map((check: { name: string }) => [check.name, check]));
    expect(checks.get("runtimes")).toMatchObject({
      details: expect.arrayContaining([expect.stringMatching(/^node \d/)]),
    });
    expect(checks.get("dependencies")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("skillhold deps install"),
      details: ["pdf: Missing: npm:is-number, pip:zzz_reader. Optional and missing: pip:zzz_extra."],
    });
    const fixed = await runJson(["doctor"], root, { env: { PATH: process.env["PATH"] } });
    expect(fixed.data.checks.find(({ name }: { name: string }) => name === "dependencies")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("XDG_DATA_HOME"),
      details: [expect.stringMatching(/^pdf: Missing, and packages cannot be installed here: npm:is-number/)],
    });
  });
});

/** A named root has the user trust tier. */
const own = ["--root", "skills"];

function start(args: readonly string[], options: FakeHostOptions = {}) {
  return runMain(["deps", ...args], root, { env: env(), ...options });
}

function json(args: readonly string[], options: FakeHostOptions = {}) {
  return runJson(["deps", ...args], root, { env: env(), ...options });
}

function env(more: Readonly<Record<string, string>> = {}) {
  const folders = { XDG_DATA_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache") };
  return { PATH: process.env["PATH"] ?? "", ...folders, ...more };
}

/** A shell script in place of npm; the package `bad` does not exist. */
function fakeNpm(): FakeHostOptions {
  const program = writeFile(root, "bin/npm", `#!/bin/sh\n${FAKE_NPM}`);
  chmodSync(program, 0o755);
  return { env: env({ PATH: [dirname(program), "/usr/bin", "/bin"].join(delimiter) }) };
}

function addSkill(name: string, files: Readonly<Record<string, string>>, folder = "skills"): void {
  writeFile(root, `${folder}/${name}/SKILL.md`, skillText(name, `Does ${name}.`));
  for (const [path, text] of Object.entries(files)) writeFile(root, `${folder}/${name}/${path}`, text);
}

function found(kind: string, name: string, file: string, line: number) {
  return { kind, name, import: name, optional: false, declared: false, seen: [{ file, line }] };
}

async function readAudit(): Promise<string> {
  return (await readAuditLog(join(root, "state"))).map((event) => JSON.stringify(event)).join("\n");
}
