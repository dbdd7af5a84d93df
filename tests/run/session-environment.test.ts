import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skill } from "@skillhold/core/test/session/session.fixture";
import { fixedAsker } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, org } from "./session-run.fixture.ts";

test("scripts and tools of a skill find its installed packages [S-36]", async () => {
  const site = mkdtempSync(join(tmpdir(), "skillhold-run-"));
  chmodSync(site, 0o755);
  writeFileSync(join(site, "greeting.py"), "text = 'hello'\n");
  const files = {
    "scripts/a.py": "import greeting\nprint(greeting.text)",
    "tools/b.py":
      'from langchain_core.tools import tool\nimport greeting\n@tool\ndef greet() -> str:\n    "Greets."\n    return greeting.text\n',
  };
  const asked: string[] = [];
  const { session } = await openRunning([org(files)], {
    environment: async ({ id, folder }) => {
      asked.push(`${id} ${readdirSync(folder).join()}`);
      const mount = { source: site, target: "/opt/site", isWritable: false };
      return { lock: "site-1", mounts: [mount], env: (paths) => ({ PYTHONPATH: paths.of(site) }) };
    },
  });
  expect((await session.run("demo", "a.py")).stdout).toBe("hello\n");
  expect((await session.callTool("demo", "greet")).result).toBe("hello");
  expect(asked[0]).toBe("demo SKILL.md,scripts,tools");
  rmSync(site, { recursive: true });
  await session.close();
});

test("an approval ends when the installed packages change [S-28]", async () => {
  const asker = fixedAsker("content");
  let lock = "lock-1";
  const environment = async () => ({ lock, mounts: [], env: () => ({}) });
  const files = { "scripts/a.sh": "echo hi", "tools/t.mjs": TOOL };
  const { session } = await openRunning([skill("demo", { files })], { asker, environment });
  for (const at of ["lock-1", "lock-1", "lock-2"]) {
    lock = at;
    await session.run("demo", "a.sh");
  }
  expect(asker.asked).toHaveLength(2);
  expect(await session.clearance("demo", { script: "a.sh" })).toMatchObject({ verdict: "allow" });
  lock = "lock-3";
  expect(await session.clearance("demo", { script: "a.sh" })).toMatchObject({
    verdict: "ask",
    request: { environment: "lock-3" },
  });
  expect(await session.clearance("demo", { tool: "t" })).toMatchObject({
    verdict: "ask",
    request: { environment: "lock-3" },
  });
  await session.close();
});

const TOOL = `export default { name: "t", description: "d", inputSchema: { type: "object" }, run: () => 1 };`;

test("reading a skill names its missing dependencies [S-24] [S-38]", async () => {
  const warnings = async (_: unknown, __: unknown, id: string) => [`Missing: pip:x. Install it for ${id}.`];
  const { session } = await openRunning([org({})], { warnings });
  const { warnings: told, text } = await session.activate("demo");
  expect(told).toContain("Missing: pip:x. Install it for demo.");
  expect(text).toContain("Missing: pip:x.");
  await session.close();
});
