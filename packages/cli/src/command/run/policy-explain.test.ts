import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainPolicy } from "@skillhold/core/policy";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-policy-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("policy explain", () => {
  test("prints every rule, as text and as JSON [S-28] [S-60]", async () => {
    const { data } = await runJson(["policy", "explain"], root);
    expect(data.rules).toEqual(explainPolicy());
    const { code, out } = await runMain(["policy", "explain"], root);
    expect(code).toBe(0);
    for (const { id, verdict, reason } of explainPolicy()) {
      expect(out).toContain(`${verdict.padEnd(5)}  ${id}  `);
      expect(out).toContain(`       ${reason}\n`);
    }
  });

  test.each([
    [["--trust", "org"], "allow", "run-trusted"],
    [["--act", "call_tool"], "ask", "run-user"],
    [["--trust", "org", "--network"], "ask", "network"],
    [["--trust", "third_party", "--network"], "deny", "network-third-party"],
    [["--trust", "org", "--mounts", "write"], "ask", "writable-mount"],
    [["--trust", "org", "--mounts", "read"], "ask", "mount"],
    [["--trust", "third_party", "--unsandboxed"], "deny", "unsandboxed-third-party"],
    [["--trust", "org", "--unsandboxed"], "ask", "unsandboxed-on"],
    [["--act", "install", "--trust", "third_party"], "deny", "install-third-party"],
  ])("decides %j: %s by %s [S-28]", async (options, verdict, rule) => {
    const { data } = await runJson(["policy", "explain", ...options], root);
    expect(data.decision).toMatchObject({ verdict, rule });
    expect(data.rules.map(({ id }: { id: string }) => id)).toContain(rule);
    const { out } = await runMain(["policy", "explain", ...options], root);
    expect(out).toContain(`: ${verdict} (${rule}).`);
  });

  test("shows a skill's decisions, secrets, files and ineffective tool patterns [S-28] [S-30]", async () => {
    const fields = [
      "allowed-tools: Read Bash(git:*) Bash(git log:*) Bash(ls | rm)",
      "metadata: { openclaw: { requires: { env: [PDF_KEY], config: [~/.pdfrc] } } }",
    ];
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "Do.\n", `${fields.join("\n")}\n`));
    const { data } = await runJson(["policy", "explain", "pdf"], root);
    expect(data).toMatchObject({
      skill: "pdf",
      trust: "third_party",
      secrets: ["PDF_KEY"],
      config: ["~/.pdfrc"],
      allowedTools: {
        grants: ["Read", "Bash(git log:*)"],
        problems: [
          { item: "Bash(git:*)", problem: expect.stringContaining("git is no limit") },
          { item: "Bash(ls | rm)", problem: expect.any(String) },
        ],
      },
    });
    expect(data.decisions[0]).toMatchObject({ title: "a script", decision: { verdict: "ask" } });
    const { out } = await runMain(["policy", "explain", "pdf"], root);
    expect(out).toContain("pdf (trust third_party)\n  a script: ask (");
    expect(out).toContain('Receives the variable PDF_KEY, "~/.pdfrc".\n');
    expect(out).toContain('  nothing  "Bash(git:*)": git is no limit');
  });

  test("decides a request for a skill by the skill's own trust [S-28]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x"));
    const { data } = await runJson(["policy", "explain", "pdf", "--network"], root);
    expect(data.decisions).toMatchObject([
      { request: { trust: "third_party", network: "open" }, decision: { verdict: "deny" } },
    ]);
    expect(data.allowedTools).toBeNull();
  });

  test.each([
    [["nope"], 5, "There is no skill nope."],
    [["pdf", "--trust", "org"], 2, "--trust and an id exclude each other"],
    [["--trust", "me"], 2, "Allowed choices are builtin, org, user, third_party."],
    [["--act", "fly"], 2, "Allowed choices are run_script"],
  ])("%j exits %i with a reason [S-60]", async (args, code, message) => {
    const result = await runJson(["policy", "explain", ...args], root);
    expect(result).toMatchObject({ code, error: { message: expect.stringContaining(message) } });
  });
});
