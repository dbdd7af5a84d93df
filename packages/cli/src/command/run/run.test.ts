import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAuditLog } from "../../audit-log.fixture.ts";
import { type FakeHostOptions, fakeHost, runJson, runMain, skillText, writeFile } from "../../fake-host.ts";
import { main } from "../../main.ts";

const yes = "--yes-for-this-content";
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-run-"));
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
  writeScript("a.sh", 'echo "got $*"\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.runIf(process.platform === "linux")("run", () => {
  test("prints the script's output, passes arguments unchanged, and exits with the script's code [S-29] [S-60]", async () => {
    writeScript("a.sh", 'for each; do echo "[$each]"; done; echo "on the side" >&2; exit 7\n');
    const { code, out, err } = await start(["a.sh", yes, "--", "--json", "a b", ""]);
    expect({ code, out }).toEqual({ code: 7, out: "[--json]\n[a b]\n[]\n" });
    expect(err).toContain("on the side\n");
  });

  test("--json prints only the run [S-29] [S-60]", async () => {
    writeScript("a.sh", "echo out; echo err >&2; echo made > made.txt; exit 3\n");
    const { code, err, data } = await startJson(["scripts/a.sh", yes]);
    expect({ code, err }).toEqual({ code: 3, err: "" });
    expect(data).toMatchObject({
      skill: "pdf",
      script: "scripts/a.sh",
      treeHash: expect.stringMatching(/^sha256:/),
      exitCode: 3,
      outcome: "exited",
      stdout: "out\n",
      stderr: "err\n",
      files: [{ path: "made.txt", size: 5 }],
      sandbox: "bubblewrap",
      enforced: { wall: "run", output: "run" },
    });
  });

  test("passes piped input only with --stdin [S-29] [S-60]", async () => {
    writeScript("a.sh", "cat; echo end\n");
    expect((await start(["a.sh", yes, "--stdin"], { input: "piped\n" })).out).toBe("piped\nend\n");
    expect((await start(["a.sh"], { input: "piped\n" })).out).toBe("end\n");
  });

  test("keeps the script's files in an empty folder and lists them [S-29] [S-60]", async () => {
    writeScript("a.sh", "mkdir sub; echo one > sub/one.txt; ln -s /etc/passwd link\n");
    const { code, err } = await start(["a.sh", yes, "--out", "made/here"]);
    expect(code).toBe(0);
    expect(readFileSync(join(root, "made/here/sub/one.txt"), "utf8")).toBe("one\n");
    expect(readdirSync(join(root, "made/here"))).toEqual(["sub"]);
    expect(err).toContain("1 file written, in made/here:\n  sub/one.txt  4 B\n");
    expect(err).toContain("note: link was not kept");
    const full = await startJson(["a.sh", yes, "--out", "made/here"]);
    expect(full).toMatchObject({ code: 2, error: { message: "made/here is not an empty folder." } });
  });

  test("mounts a folder read-only unless rw is given [S-28] [S-29]", async () => {
    mkdirSync(join(root, "data"));
    writeFile(root, "data/in.txt", "from the host\n");
    chmodSync(join(root, "data"), 0o777);
    writeScript("a.sh", 'cat "$1/in.txt"; echo new > "$1/out.txt" && echo written\n');
    const seen = await start(["a.sh", yes, "--mount", "data", "--", "/mnt/data"]);
    expect(seen.out).toBe("from the host\n");
    const changed = await start(["a.sh", yes, "--mount", "data:/mnt/there:rw", "--", "/mnt/there"]);
    expect(changed.out).toBe("from the host\nwritten\n");
    expect(readFileSync(join(root, "data/out.txt"), "utf8")).toBe("new\n");
  });

  test("passes a declared variable and never prints its value [S-33] [S-60]", async () => {
    needKey();
    writeScript("a.sh", 'echo "key $PDF_KEY ${#PDF_KEY}"; echo "$PDF_KEY" >&2\n');
    const { out, err } = await start(["a.sh", yes], { env: env({ PDF_KEY: "sesame-open-7431" }) });
    expect(out).toMatch(/^key .* 16\n$/);
    const { data } = await startJson(["a.sh", yes], { env: env({ PDF_KEY: "sesame-open-7431" }) });
    expect(out + err + JSON.stringify(data) + (await readAudit())).not.toContain("sesame");
  });

  test("is stopped by an interrupt, which the audit log records [S-29] [S-60]", async () => {
    writeScript("a.sh", "echo ready; sleep 600\n");
    const { host, emit } = fakeHost(root, { env: env() });
    const stdout = { ...host.stdout, write: () => emit("SIGINT") };
    expect(await main(["run", "pdf", "a.sh", yes], { ...host, stdout })).toBe(130);
    expect(await readAudit()).toContain('"outcome":"aborted"');
  });

  test("needs both switches to run unsandboxed, and never does so for third-party skills [S-29]", async () => {
    writeScript("a.sh", "[ -d /skill ] && echo inside || echo outside\n");
    const isOn = { env: env({ SKILLHOLD_ALLOW_UNSANDBOXED: "1" }) };
    const trusted = ["a.sh", yes, "--trust-project"];
    expect((await start([...trusted, "--unsandboxed"], isOn)).out).toBe("outside\n");
    expect((await start(trusted, isOn)).out).toBe("inside\n");
    const isOff = await start([...trusted, "--unsandboxed"]);
    expect(isOff.out).toBe("inside\n");
    expect(isOff.err).toContain("--unsandboxed has no effect without");
    const stranger = await startJson(["a.sh", yes, "--unsandboxed"], isOn);
    expect(stranger).toMatchObject({ code: 4, error: { code: "POLICY_DENIED" } });
  });

  test("an unknown option is an error, also before arguments of the script that ask for help [S-60]", async () => {
    const { code, out, err } = await start(["a.sh", "--nosuch", "--", "--help"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("--nosuch");
  });

  test("records request, decision and end in the user's store [S-29]", async () => {
    await start(["a.sh", yes, "--", "x"]);
    const types = (await readAuditLog(join(root, "state"))).map(({ type }) => type);
    expect(types.filter((type) => type !== "audit.key_changed")).toEqual([
      "skill.discovered",
      "session.opened",
      "run.requested",
      "approval.granted",
      "run.approved",
      "skill.script_executed",
      "session.closed",
    ]);
  });

  test("escapes control characters of a script on a terminal [S-60]", async () => {
    writeScript("a.sh", "printf 'a\\033[2Jb\\r\\nc\\n'\n");
    expect((await start(["a.sh", yes], { columns: 80 })).out).toBe("a\\u001b[2Jb\nc\n");
    expect((await start(["a.sh"])).out).toBe("a\u001b[2Jb\r\nc\n");
  });
});

describe.runIf(process.platform === "linux")("the leave to run", () => {
  test("is requested at the terminal with everything that it would permit [S-28] [S-60]", async () => {
    needKey();
    const options = { typed: "y\n", env: env({ PDF_KEY: "sesame-open-7431" }) };
    const { code, out, tty } = await start(["a.sh", "--", "x y", "\u001b[2J"], options);
    expect({ code, out }).toEqual({ code: 0, out: "got x y \u001b[2J\n" });
    for (const part of [
      "  Skill      pdf\n",
      "  Content    sha256:",
      "  Trust      third_party\n",
      "  Act        run scripts/a.sh\n",
      '  Arguments  "x y" "\\u001b[2J"\n',
      "  Network    none\n",
      "  Secrets    PDF_KEY\n",
    ])
      expect(tty).toContain(part);
    expect(tty).not.toContain("sesame");
  });

  test("shows the code with v, without control characters, and asks again [S-28] [S-60]", async () => {
    writeScript("a.sh", "echo seen # \u001b[2J\n[no] \n");
    const { code, out, tty } = await start(["a.sh"], { typed: ["v\n", "n\n"] });
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(tty).toContain("  1 | #!/bin/sh\n  2 | echo seen # \\u001b[2J\n  3 | [no] \n");
    expect(tty?.match(/Approve\? /g)).toHaveLength(2);
    writeScript("a.sh", "echo seen\n");
    expect(await start(["a.sh"], { typed: ["V\n", "v\n", "y\n"] })).toMatchObject({ code: 0, out: "seen\n" });
    expect((await start(["a.sh"], { typed: ["v\n"] })).code).toBe(4);
  });

  test("shows no code that changed after the question, and only the beginning of long code [S-28]", async () => {
    const { host, tty } = fakeHost(root, { env: env(), typed: ["v\n", "n\n"] });
    const openTty = () => {
      const opened = host.openTty?.();
      opened?.output.prependListener("data", () => writeScript("a.sh", "echo changed\n"));
      return opened;
    };
    expect(await main(["run", "pdf", "a.sh"], { ...host, openTty })).toBe(4);
    expect(tty()).toContain("The skill changed after this question.");
    expect(tty()).not.toContain("echo changed");
    writeScript("a.sh", `echo ${"x".repeat(70_000)}\n`);
    const { tty: long } = await start(["a.sh"], { typed: ["v\n", "n\n"] });
    expect(long).toContain("Only the first 64 KB of 68 KB are shown.");
  });

  test.each(["n\n", "\n", "yep\n", ""])(
    "is denied by the answer %j with exit 4 and no run [S-28]",
    async (typed) => {
      const { code, out, err } = await start(["a.sh"], { typed });
      expect({ code, out }).toEqual({ code: 4, out: "" });
      expect(err).toMatch(/Denied by .*: run scripts\/a\.sh of pdf/);
      expect(err).toContain("run the command again");
    },
  );

  test("covers one run with y, arguments of one shape with a, and any with w, until the content changes [S-28]", async () => {
    await start(["a.sh"], { typed: "y\n" });
    expect((await start(["a.sh"])).code).toBe(4);
    await start(["a.sh"], { typed: "a\n" });
    expect((await start(["a.sh"])).code).toBe(0);
    expect((await start(["a.sh", "--", "other"])).code).toBe(4);
    await start(["a.sh"], { typed: "a\n" });
    await start(["a.sh", "--", "one"], { typed: "w\n" });
    expect((await start(["a.sh", "--", "other"])).out).toBe("got other\n");
    writeScript("a.sh", "echo changed\n");
    const { code, out } = await start(["a.sh"]);
    expect({ code, out }).toEqual({ code: 4, out: "" });
  });

  test("fails without a terminal with exit 4 and a hint [S-28] [S-60]", async () => {
    const { code, error } = await startJson(["a.sh"]);
    expect({ code, error }).toMatchObject({
      code: 4,
      error: {
        code: "APPROVAL_REQUIRED",
        message: expect.stringContaining("No approver is available"),
        hint: expect.stringContaining("--yes-for-this-content"),
      },
    });
  });

  test("does not cover another mount, which needs a new approval [S-28]", async () => {
    await start(["a.sh", yes]);
    expect((await start(["a.sh"])).code).toBe(0);
    expect((await start(["a.sh", "--mount", "skills"])).code).toBe(4);
  });

  test("is denied for network access of a third-party skill [S-28]", async () => {
    const { code, error } = await startJson(["a.sh", yes, "--network"]);
    expect({ code, error }).toMatchObject({ code: 4, error: { code: "POLICY_DENIED" } });
  });
});

describe("what cannot be run", () => {
  test.each([
    [["nope", "a.sh"], 5, "There is no skill nope."],
    [["pdf", "nope.sh"], 5, "has no script nope.sh"],
    [["pdf", "../x.sh"], 7, "../x.sh"],
    [["pdf", "a.sh", "--mount", "none"], 5, "The path none does not exist."],
    [["pdf", "a.sh", "--mount", "skills", "--mount", "skills"], 2, "Two mounts have the target /mnt/skills."],
    [["pdf", "a.sh", "--out", "skills"], 2, "skills is not an empty folder."],
    [
      ["pdf", "a.sh", "--network", "--network-host", "example.com"],
      2,
      "--network and --network-host exclude each other",
    ],
    [["pdf"], 2, "missing required argument 'script'"],
  ])("%j exits %i with a reason [S-60]", async (args, code, message) => {
    const result = await runJson(["run", ...args, yes], root, { env: env() });
    expect(result).toMatchObject({ code, error: { message: expect.stringContaining(message) } });
  });

  test("the hint lists the scripts, without files that they import [S-60]", async () => {
    for (const name of ["a.sh", "lib/b.mjs", "lib/deep/c.sh", "more/d.py"]) writeScript(name, "true\n");
    const { error } = await startJson(["nope.sh"]);
    expect(error?.hint).toBe("Available scripts: scripts/a.sh, scripts/more/d.py.");
  });

  test("includes runs that cannot be recorded [S-29]", async () => {
    const { code, error } = await runJson(["run", "pdf", "a.sh", yes], root);
    expect({ code, error }).toMatchObject({
      code: 2,
      error: { code: "CONFIG_INVALID", hint: expect.stringContaining("XDG_DATA_HOME") },
    });
  });

  test("includes runs whose store cannot be written or was tampered with [S-29] [S-62]", async () => {
    writeScript("a.sh", "echo ran\n");
    const elsewhere = { env: env({ SKILLHOLD_STORE: `sqlite:${join(root, "skills")}` }) };
    const unwritable = await start(["a.sh", yes, "--no-store"], elsewhere);
    expect(unwritable).toMatchObject({ code: 1, out: "" });
    expect((await start(["a.sh", yes])).out).toBe("ran\n");
    const database = new DatabaseSync(join(root, "state/skillhold/registry.db"));
    database.exec("delete from event where seq = (select max(seq) from event)");
    database.close();
    expect(await startJson(["a.sh", yes])).toMatchObject({ code: 7, error: { code: "INTEGRITY_FAILED" } });
  });

  test("leaves no output folder when the run fails [S-60]", async () => {
    await start(["nope.sh", yes, "--out", "made"]);
    expect(existsSync(join(root, "made"))).toBe(false);
  });

  test("rejects --stdin at a terminal [S-60]", async () => {
    const { code, err } = await start(["a.sh", "--stdin"], { typed: "y\n" });
    expect(code).toBe(2);
    expect(err).toContain("--stdin needs piped input");
  });
});

function start(args: readonly string[], options: FakeHostOptions = {}) {
  return runMain(["run", "pdf", ...args], root, { env: env(), ...options });
}

function startJson(args: readonly string[], options: FakeHostOptions = {}) {
  return runJson(["run", "pdf", ...args], root, { env: env(), ...options });
}

function env(more: Readonly<Record<string, string>> = {}) {
  return { XDG_DATA_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache"), ...more };
}

function writeScript(name: string, text: string): void {
  writeFile(root, `skills/pdf/scripts/${name}`, `#!/bin/sh\n${text}`);
}

function needKey(): void {
  const needs = "metadata: { openclaw: { requires: { env: [PDF_KEY] } } }\n";
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF.", "Do.\n", needs));
}

async function readAudit(): Promise<string> {
  return JSON.stringify(await readAuditLog(join(root, "state")));
}
