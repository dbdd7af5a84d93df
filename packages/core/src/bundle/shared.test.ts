import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withLimits } from "@skillhold/protocol/limits";
import { findMentions } from "@skillhold/skill/test/bundle/mention";
import { afterEach, beforeEach, expect, test } from "vitest";
import { usedMs } from "../../../../tests/used-time.ts";
import type { Bundle } from "./bundle.ts";
import { type PackOptions, pack } from "./pack.ts";

let workspace = "";
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "skillhold-shared-")));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
}
const helpers = {
  "_shared/__init__.py": "",
  "_shared/office_helpers.py": "import zip_helpers\n",
  "_shared/zip_helpers.py": "",
  "_shared/pdf.py": "",
  "_shared/x.mjs": 'import { y } from "./lib/util.mjs";\nexport const x = y;\n',
  "_shared/lib/util.mjs": "export const y = 42;\n",
  "_shared/lone.sh": "",
};
async function packWith(script: string, options: PackOptions = {}, path = "scripts/a.txt"): Promise<Bundle> {
  write({ ...helpers, "skill/SKILL.md": "# Skill", [`skill/${path}`]: script });
  return await pack(join(workspace, "skill"), options);
}
const sharedOf = (bundle: Bundle) =>
  bundle.files.filter((file) => file.role === "helper").map((file) => file.path.slice("_shared/".length));
const whole = Object.keys(helpers)
  .map((path) => path.slice("_shared/".length))
  .toSorted();

test.each([
  ["a.mjs", 'import { x } from "../_shared/x.mjs";', ["__init__.py", "lib/util.mjs", "x.mjs"]],
  [
    "a.py",
    "from _shared import office_helpers, pdf as p\n",
    ["__init__.py", "office_helpers.py", "pdf.py", "zip_helpers.py"],
  ],
  ["a.py", "from _shared import (\n  pdf,\n)\n", ["__init__.py", "pdf.py"]],
  ["a.py", "import _shared.pdf\n", ["__init__.py", "pdf.py"]],
  [
    "a.py",
    "from _shared.office_helpers import unzip\n",
    ["__init__.py", "office_helpers.py", "zip_helpers.py"],
  ],
  ["a.sh", '. "$(dirname "$0")/../_shared/lone.sh"', ["__init__.py", "lone.sh"]],
  ["a.ts", 'import "../_shared/lib";', ["__init__.py", "lib/util.mjs"]],
  ["a.py", 'sys.path.insert(0, str(Path(__file__).parent.parent / "_shared"))', whole],
  ["a.py", "from _shared import *\n", whole],
  ["a.mjs", 'await import("../_shared/" + name)', whole],
  ["a.mjs", 'import "../_shared/unknown.mjs"', whole],
  ["a.mjs", "const my_shared = 1; const _shared_state = 2;", []],
  ["a.mjs", "nothing to see", []],
  ["a.txt", "_shared", []],
])("%s with %j includes the helper it means [S-13]", async (name, script, expected) => {
  expect(sharedOf(await packWith(script, {}, `scripts/${name}`))).toEqual(expected);
});

test("SKILL.md can refer to a helper [S-13]", async () => {
  write({ ...helpers, "skill/SKILL.md": "Run `_shared/lone.sh`." });
  const bundle = await pack(join(workspace, "skill"));
  expect(sharedOf(bundle)).toEqual(["__init__.py", "lone.sh"]);
  expect(bundle.files.at(-1)).toMatchObject({
    base: workspace,
    origin: join(workspace, "_shared/lone.sh"),
    role: "helper",
  });
});

test("the bundle of a script that refers to its bundled helper runs on its own [S-13]", async () => {
  const bundle = await packWith(
    'import { x } from "../_shared/x.mjs";\nconsole.log(x);',
    {},
    "scripts/a.mjs",
  );
  const target = join(workspace, "elsewhere", "skill");
  for (const file of bundle.files) cpSync(file.origin, join(target, file.path));
  expect(spawnSync(process.execPath, [join(target, "scripts/a.mjs")], { encoding: "utf8" }).stdout).toBe(
    "42\n",
  );
  expect(bundle.strayReferences).toEqual([]);
  const again = await pack(target);
  expect(again.files.map(({ path, size }) => [path, size])).toEqual(
    bundle.files.map(({ path, size }) => [path, size]),
  );
});

test.skipIf(process.platform === "win32")(
  "a link to ../_shared makes the working copy run and is not reported [S-13]",
  async () => {
    write({
      ...helpers,
      "skill/SKILL.md": "",
      "skill/scripts/a.mjs": 'import { x } from "../_shared/x.mjs";\nconsole.log(x);',
    });
    symlinkSync("../_shared", join(workspace, "skill", "_shared"));
    const script = join(workspace, "skill/scripts/a.mjs");
    expect(spawnSync(process.execPath, [script], { encoding: "utf8" }).stdout).toBe("42\n");
    const bundle = await pack(join(workspace, "skill"));
    expect(sharedOf(bundle)).toEqual(["__init__.py", "lib/util.mjs", "x.mjs"]);
    expect(bundle.omitted).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "rejects a link called _shared with another target [S-13]",
  async () => {
    write({ "other/secret.py": "", "skill/SKILL.md": "_shared" });
    symlinkSync("../other", join(workspace, "skill", "_shared"));
    symlinkSync("other", join(workspace, "_shared"));
    const bundle = await pack(join(workspace, "skill"));
    expect(sharedOf(bundle)).toEqual([]);
    expect(bundle.omitted).toMatchObject([{ path: "_shared", reason: "link" }]);
  },
);

test("reports a reference by the layout of the working copy, with its replacement [S-13]", async () => {
  const bundle = await packWith(
    'import "../../_shared/x.mjs"; import "../../_shared/pdf.py";',
    {},
    "scripts/a.mjs",
  );
  expect(sharedOf(bundle)).toContain("x.mjs");
  const stray = { path: "scripts/a.mjs", reference: "../../_shared", expected: "../_shared" };
  expect(bundle.strayReferences).toEqual([stray]);
});

test("a skill's own _shared folder makes it complete, and without one nothing is copied [S-13]", async () => {
  write({ ...helpers, "skill/SKILL.md": "_shared", "skill/_shared/own.py": "" });
  expect(sharedOf(await pack(join(workspace, "skill")))).toEqual(["own.py"]);
  rmSync(join(workspace, "skill/_shared"), { recursive: true });
  expect(sharedOf(await pack(join(workspace, "skill"), { shared: "none" }))).toEqual([]);
  expect(sharedOf(await pack(join(workspace, "skill")))).toEqual(whole);
});

test("helpers follow the skill's ignore file and count toward its limits [S-13]", async () => {
  write({ ...helpers, "skill/SKILL.md": "_shared", "skill/.clawhubignore": "_shared/*.py\n" });
  const skill = join(workspace, "skill");
  expect(sharedOf(await pack(skill, { purpose: "publish" }))).toEqual(["lib/util.mjs", "lone.sh", "x.mjs"]);
  const packing = pack(skill, { purpose: "publish", limits: withLimits({ bundleFiles: 4 }) });
  await expect(packing).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
});

test("reads hostile text in linear time [S-13]", () => {
  const texts = [
    "../".repeat(300_000),
    "from _shared import (".repeat(50_000),
    "_shared.".repeat(120_000),
    `from${" ".repeat(900_000)}`,
  ];
  for (const text of texts) expect(usedMs(() => findMentions(`${text} _shared`))).toBeLessThan(2000);
});

test("takes helpers only from inside the given source [S-13]", async () => {
  const packIn = (within: string) =>
    packWith('import { x } from "../_shared/x.mjs";', { within }, "scripts/a.mjs");
  const used = ["__init__.py", "lib/util.mjs", "x.mjs"];
  expect(sharedOf(await packIn(workspace))).toEqual(used);
  expect(sharedOf(await packIn(dirname(workspace)))).toEqual(used);
  const ownRoot = await packIn(join(workspace, "skill"));
  expect(ownRoot.files.map(({ path }) => path)).toEqual(["SKILL.md", "scripts/a.mjs"]);
  mkdirSync(join(workspace, "ski"));
  expect(sharedOf(await packIn(join(workspace, "ski")))).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "identifies a source by its real path and rejects a link to helpers outside it [S-13]",
  async () => {
    await packWith('import "../_shared/x.mjs";', {}, "scripts/a.mjs");
    symlinkSync(workspace, join(workspace, "alias"));
    const skill = join(workspace, "skill");
    expect(sharedOf(await pack(skill, { within: join(workspace, "alias") }))).toContain("x.mjs");
    symlinkSync("../_shared", join(skill, "_shared"));
    const bundle = await pack(skill, { within: skill });
    expect(sharedOf(bundle)).toEqual([]);
    expect(bundle.omitted).toMatchObject([{ path: "_shared", reason: "link" }]);
  },
);

test("packs a helper that Python imports by name, unless the skill has that module [S-13]", async () => {
  expect(sharedOf(await packWith("import os, office_helpers\n", {}, "scripts/sub/a.py"))).toEqual([
    "__init__.py",
    "office_helpers.py",
    "zip_helpers.py",
  ]);
  rmSync(join(workspace, "skill"), { recursive: true });
  expect(sharedOf(await packWith("from lone_module import pdf\n", {}, "scripts/b.py"))).toEqual([]);
  write({ "skill/scripts/pdf.py": "" });
  expect(sharedOf(await packWith("import pdf\n", {}, "scripts/b.py"))).toEqual([]);
});
