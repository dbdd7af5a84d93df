import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { text, json, write } = registryScene({ beforeEach, afterEach });

const writeSkill = (body: string) =>
  write("skills/pdf/SKILL.md", `---\nname: pdf\ndescription: Does pdf.\n---\n${body}\n`);

test("an edit in a governed folder is used after its proposal is applied [S-49]", async () => {
  writeSkill("First.");
  const read = async () => (await text(["read", "pdf", "--root", "skills", "--governed"])).out;
  expect(await read()).toContain("First.");
  writeSkill("Second.");
  expect(await read()).toContain("First.");
  const { data } = await json(["proposal", "list", "--role", "admin"]);
  expect(data.proposals).toMatchObject([{ skill: "pdf", origin: "outside", state: "pending" }]);
  const id = data.proposals[0].id.slice(0, 8);
  expect((await text(["proposal", "diff", id, "--role", "admin"])).out).toContain("+Second.");
  expect((await text(["proposal", "approve", id, "--role", "admin"])).code).toBe(0);
  expect(await read()).toContain("First.");
  expect((await text(["proposal", "apply", id, "--role", "admin"])).code).toBe(0);
  expect(await read()).toContain("Second.");
  expect((await text(["read", "pdf", "--root", "skills", "--governed", "--no-store"])).code).toBe(2);
});
