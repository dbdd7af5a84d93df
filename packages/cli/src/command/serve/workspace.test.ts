import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, text, json, write } = registryScene({ beforeEach, afterEach });

const CONFIG = "seo/config.yaml";
const skill = (name: string, extra = "version: 1.0.0\n") =>
  write(`src/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\n${extra}---\nDo it.\n`);

test("creates a workspace, installs a skill with comments kept, and publishes it again [S-56]", async () => {
  expect((await text(["workspace", "init", "seo", "--runtime", "test"])).out).toBe(
    "seo/config.yaml\nseo/system-prompt.md\n",
  );
  expect((await json(["workspace", "init", "seo"])).code).toBe(6);
  write(CONFIG, "name: seo # ours\nskills: # in order\n  - first # keep\n");
  skill("first");
  skill("second");
  for (const name of ["first", "second"])
    expect((await text(["workspace", "install", "seo", `src/${name}`])).code).toBe(0);
  expect(readFileSync(join(root(), CONFIG), "utf8")).toBe(
    "name: seo # ours\nskills: # in order\n  - first # keep\n  - second\n",
  );
  expect((await text(["workspace", "list", "seo"])).out).toBe("first  About first.\nsecond  About second.\n");
  const { data } = await json(["workspace", "status", "seo"]);
  expect(data.card.skills).toMatchObject([{ id: "first" }, { id: "second" }]);
  expect((await text(["workspace", "publish", "seo", "second", "--to", "out"])).out).toBe("out/second\n");
  expect(readFileSync(join(root(), "out/second/SKILL.md"), "utf8")).toContain("About second.");
  expect((await json(["workspace", "publish", "seo", "../src"])).code).not.toBe(0);
});

test("audits every listed skill and fails for a missing folder or field [S-9] [S-56]", async () => {
  await text(["workspace", "init", "seo"]);
  for (const [name, extra] of [
    ["good", "version: 1.0.0\n"],
    ["bare", ""],
  ] as const) {
    skill(name, extra);
    await text(["workspace", "install", "seo", `src/${name}`]);
  }
  write("seo/skills/adder/tools/add.py", "def add(): ...\n");
  write(
    CONFIG,
    `${readFileSync(join(root(), CONFIG), "utf8").replace(/skills: .*/, "skills: [good, bare, adder, gone]")}`,
  );
  const { code, data } = await json(["workspace", "audit", "seo"]);
  expect(code).toBe(3);
  expect(data.skills.map((each: { skill: string; status: string }) => [each.skill, each.status])).toEqual([
    ["good", "PASS"],
    ["bare", "FAIL"],
    ["adder", "PASS"],
    ["gone", "FAIL"],
  ]);
  write(CONFIG, "name: seo\nskills: [good, adder]\n");
  expect((await text(["workspace", "audit", "seo"])).out).toBe("PASS good\nPASS adder\n");
});

test("rejects a folder that is not a skill and keeps the list [S-56]", async () => {
  await text(["workspace", "init", "seo"]);
  const before = readFileSync(join(root(), CONFIG), "utf8");
  write("src/empty/readme.txt", "x");
  for (const source of ["src/empty", "src/none"])
    expect((await json(["workspace", "install", "seo", source])).code).toBe(3);
  expect(readFileSync(join(root(), CONFIG), "utf8")).toBe(before);
});
