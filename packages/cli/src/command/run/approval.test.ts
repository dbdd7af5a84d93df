import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readAuditLog } from "../../audit-log.fixture.ts";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skillhold-approval-"));
  for (const id of ["pdf", "doc"]) {
    writeFile(root, `skills/${id}/SKILL.md`, skillText(id, "x"));
    writeFile(root, `skills/${id}/a.sh`, "echo ran\n");
    await main(["run", id, "a.sh", "--yes-for-this-content"]);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe.runIf(process.platform === "linux")("approvals", () => {
  test("are listed with approver, subject and expiry [S-28] [S-60]", async () => {
    const { data } = await json(["approval", "list"]);
    expect(data.approvals).toMatchObject([
      { skill: "pdf", act: "run_script", target: "a.sh", treeHash: expect.stringMatching(/^sha256:/) },
      { skill: "doc", by: expect.any(String), expiresAt: expect.any(String) },
    ]);
    const { out, err } = await main(["approval", "list"]);
    expect(out).toMatch(/pdf +run_script a\.sh \(sha256:/);
    expect(err).toBe("2 approvals\n");
  });

  test("that are revoked are requested again [S-28] [S-60]", async () => {
    expect((await main(["run", "pdf", "a.sh"])).out).toBe("ran\n");
    const { code, data } = await json(["approval", "revoke", "--skill", "pdf"]);
    expect({ code, data }).toMatchObject({ code: 0, data: { revoked: [{ skill: "pdf" }] } });
    expect((await main(["run", "pdf", "a.sh"])).code).toBe(4);
    expect((await main(["run", "doc", "a.sh"])).code).toBe(0);
  });

  test("are revoked by the start of an id, or all at once [S-60]", async () => {
    const { id } = (await json(["approval", "list"])).data.approvals[0];
    expect((await main(["approval", "revoke", id.slice(0, 13)])).err).toBe("1 approval revoked\n");
    expect((await main(["approval", "revoke", "--all"])).out).toBe("doc run_script a.sh\n");
    expect((await json(["approval", "list"])).data.approvals).toEqual([]);
  });

  test("given beforehand run nothing, cover any arguments, and end with the content [S-28] [S-60]", async () => {
    writeFile(root, "skills/new/SKILL.md", skillText("new", "x"));
    writeFile(root, "skills/new/scripts/a.sh", "echo ran $1\n");
    writeFile(root, "skills/new/scripts/b.sh", "echo other\n");
    writeFile(root, "skills/new/tools/t.mjs", TOOL);
    const { code, data } = await json(["approve", "new", "--script", "a.sh", "--for", "30d"]);
    expect({ code, data }).toMatchObject({ code: 0, data: { approvals: [{ target: "scripts/a.sh" }] } });
    const [{ at, expiresAt }] = data.approvals;
    expect(Date.parse(expiresAt) - Date.parse(at)).toBe(30 * 86_400_000);
    const events = await readAuditLog(join(root, "state"));
    expect(events.map(({ type }) => type)).not.toContain("skill.tool_called");
    expect(events.filter(({ type }) => type === "skill.script_executed")).toHaveLength(2);
    expect((await main(["run", "new", "a.sh", "--", "--any"])).out).toBe("ran --any\n");
    expect((await main(["run", "new", "b.sh"])).code).toBe(4);
    expect((await main(["approve", "new", "--tools"])).out).toMatch(/^tools\/\* until /);
    expect((await main(["call", "new", "t", "--args", '{"a":1}'])).out).toBe("done\n");
    expect((await main(["approve", "new"])).out).toMatch(/scripts\/a\.sh.*\nscripts\/b\.sh.*\ntools/);
    writeFile(root, "skills/new/scripts/a.sh", "echo changed\n");
    expect((await main(["run", "new", "a.sh"])).code).toBe(4);
    expect((await main(["call", "new", "t"])).code).toBe(4);
  });

  test.each([
    [["approve", "pdf", "--for", "31d"], 2],
    [["approve", "pdf", "--for", "soon"], 2],
    [["approve", "pdf", "--script", "a.sh", "--tools"], 2],
    [["approve", "pdf", "--tools"], 5],
    [["approve", "pdf", "--script", "none.sh"], 5],
    [["approve", "nowhere"], 5],
  ])("%j exits %d and approves no content [S-28] [S-60]", async (args, code) => {
    await main(["approval", "revoke", "--all"]);
    expect((await main(args)).code).toBe(code);
    expect((await json(["approval", "list"])).data.approvals).toEqual([]);
  });

  test("that are revoked are recorded with the user [S-62]", async () => {
    const approvals = (await json(["approval", "list"])).data.approvals;
    await runMain(["approval", "revoke", "--all"], root, { env: { ...env(), SKILLHOLD_USER: "ann" } });
    await main(["approval", "revoke", "--all"]);
    const events = await readAuditLog(join(root, "state"));
    const by = { user: "ann", role: "admin" };
    expect(events.filter(({ type }) => type === "approval.revoked")).toMatchObject([
      { by, approval: approvals[0].id, skill: "pdf", target: "a.sh" },
      { by, approval: approvals[1].id, skill: "doc", target: "a.sh" },
    ]);
  });

  test("are not revoked when that cannot be recorded [S-28] [S-62]", async () => {
    const broken = { env: { ...env(), SKILLHOLD_STORE: `sqlite:${root}` } };
    expect((await runMain(["approval", "revoke", "--all"], root, broken)).code).not.toBe(0);
    expect((await json(["approval", "list"])).data.approvals).toHaveLength(2);
  });

  test.each([
    [[], 2, "Exactly one of an approval id, --skill and --all is required."],
    [["x", "--all"], 2, "Exactly one of an approval id"],
    [["no-such-id"], 5, "The approval no-such-id does not exist."],
    [[""], 5, "The approval"],
  ])("revoke %j exits %i and revokes no approval [S-60]", async (args, code, message) => {
    const result = await json(["approval", "revoke", ...args]);
    expect(result).toMatchObject({ code, error: { message: expect.stringContaining(message) } });
    expect((await json(["approval", "list"])).data.approvals).toHaveLength(2);
  });
});

function main(argv: readonly string[]) {
  return runMain(argv, root, { env: env() });
}

function json(argv: readonly string[]) {
  return runJson(argv, root, { env: env() });
}

function env() {
  return { XDG_DATA_HOME: join(root, "state"), XDG_CACHE_HOME: join(root, "cache") };
}

const TOOL = `export default {
  name: "t", description: "d", inputSchema: { type: "object" }, run: () => "done",
};`;
