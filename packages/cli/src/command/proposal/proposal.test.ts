import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSkillhold } from "@skillhold/host";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const scene = registryScene({ beforeEach, afterEach });
const { text, json, skill, write } = scene;

const folder = () => join(dirname(scene.storeFile()), "proposals");
const file = (old: string, now: string, fields = "") =>
  [
    `---\nskill: pdf\n${fields}---\n`,
    "## Diff\n",
    "```diff",
    `--- a/SKILL.md\n+++ b/SKILL.md\n@@ -4,2 +4,2 @@\n ---\n-${old}\n+${now}`,
    "```\n",
    "## Justification\n\nThe script fails.\n",
    "## Evidence\n\n- exit code 1\n",
  ].join("\n");

beforeEach(async () => {
  skill("pdf");
  await text(["publish", "pdf"]);
});

async function importOne(): Promise<string> {
  write("fix.md", file("Do it.", "Do it well."));
  const { data } = await json(["proposal", "import", "fix.md"]);
  expect(data.files).toMatchObject([{ status: "imported", proposal: { skill: "pdf", kind: "update" } }]);
  return data.files[0].proposal.id;
}

describe("proposal", () => {
  test("imports, shows, approves and applies a proposal [S-49] [S-60]", async () => {
    const id = await importOne();
    const short = id.slice(0, 8);
    expect((await json(["proposal", "list", "--waiting"])).data.proposals).toMatchObject([{ id }]);
    expect((await text(["proposal", "list"])).out).toContain("The script fails.");
    expect((await text(["proposal", "show", short])).out).toContain("exit code 1");
    expect((await text(["proposal", "diff", short])).out).toContain("+Do it well.");
    expect((await json(["proposal", "apply", short])).error.code).toBe("APPROVAL_REQUIRED");
    expect((await json(["proposal", "approve", short, "--comment", "Yes."])).data.state).toBe("approved");
    expect((await text(["proposal", "apply", short])).out).toBe("pdf: applied as revision 2\n");
    expect((await text(["proposal", "apply", short])).out).toBe("pdf: was already applied as revision 2\n");
    expect((await text(["read", "--raw", "pdf"])).out).toBe("Do it well.\n");
    expect((await json(["proposal", "list"])).data.proposals).toEqual([]);
    expect((await json(["proposal", "list", "--all"])).data.proposals).toMatchObject([{ state: "applied" }]);
  });

  test("rejects, withdraws and rebases [S-49]", async () => {
    const first = await importOne();
    expect((await json(["proposal", "reject", first, "--changes"])).data.state).toBe("pending");
    expect((await json(["proposal", "reject", first, "--comment", "No."])).data.state).toBe("rejected");
    const second = await importOne();
    expect((await json(["proposal", "withdraw", second])).data.state).toBe("withdrawn");
    const third = await importOne();
    write("pdf/more.md", "More.");
    await text(["publish", "pdf"]);
    expect((await json(["proposal", "approve", third])).error.code).toBe("PROPOSAL_STALE");
    expect((await json(["proposal", "rebase", third])).data).toMatchObject({ state: "pending" });
  });

  test("a proposal does not exist for another user [S-49]", async () => {
    const id = await importOne();
    expect((await json(["proposal", "show", id, "--user", "bob"])).error.code).toBe("PROPOSAL_NOT_FOUND");
    expect((await json(["proposal", "approve", "", "--user", "bob"])).error.code).toBe("PROPOSAL_NOT_FOUND");
  });

  test("each proposal is a file in the data folder, and a file dropped there is imported once [S-49]", async () => {
    const id = await importOne();
    const [name = ""] = readdirSync(folder());
    expect(name).toMatch(/^pdf-\d{8}T\d{9}Z\.md$/);
    const copy = () => readFileSync(join(folder(), name), "utf8");
    expect(copy()).toContain(`id: "${id}"`);
    expect(copy()).toContain("+Do it well.");
    await text(["proposal", "reject", id]);
    expect(copy()).toContain('state: "rejected"');
    write(`../data/skillhold/proposals/dropped.md`, file("Do it.", "Do it twice."));
    write(`../data/skillhold/proposals/broken.md`, "---\nskill: pdf\n---\nNo diff.\n");
    const { data, code } = await json(["proposal", "import"]);
    expect(code).toBe(1);
    expect(data.files).toMatchObject([
      { file: "broken.md", status: "failed", error: { code: "USAGE" } },
      { file: "dropped.md", status: "imported" },
      { file: name, status: "known" },
    ]);
    const again = await json(["proposal", "import"]);
    expect(again.data.files.map(({ status }: { status: string }) => status)).toEqual([
      "failed",
      "known",
      "known",
    ]);
    expect(readdirSync(folder())).not.toContain("dropped.md");
  });

  test("a command on a terminal says that proposals wait [S-49]", async () => {
    await importOne();
    expect((await text(["versions", "pdf"], { columns: 100 })).err).toContain(
      "1 proposal waits for your review",
    );
    expect((await text(["versions", "pdf"])).err).not.toContain("proposal");
    expect((await text(["versions", "pdf", "--user", "bob"], { columns: 100 })).err).not.toContain("waits");
  });

  test("an agent of the library proposes with the tools of its session [S-49]", async () => {
    const data = dirname(scene.storeFile());
    const env = { SKILLHOLD_USER: "ann", PATH: process.env["PATH"] };
    await using skillhold = await openSkillhold({ runtime: "test", data, env, cwd: scene.root() });
    const { tools } = await skillhold.session().forAgent();
    const call = async (name: string, input: object) =>
      await tools.find((tool) => tool.name === name)?.run(input);
    const change = {
      skill_id: "pdf",
      justification: "Better.",
      edits: [{ old: "Do it.", new: "Do it now." }],
    };
    expect(await call("propose_skill_update", change)).toMatchObject({
      ok: false,
      error: { code: "POLICY_DENIED" },
    });
    await call("read_skill", { skill_id: "pdf" });
    const proposed = await call("propose_skill_update", change);
    expect(proposed).toMatchObject({ ok: true, data: { state: "pending", skill: "pdf" } });
    const { proposals } = (await json(["proposal", "list", "--waiting"])).data;
    expect(proposals).toMatchObject([{ origin: "session", may: { approve: true } }]);
    expect((await json(["proposal", "approve", proposals[0].id])).data.state).toBe("approved");
  });
});
