import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { skillFolder } from "./tool-host.fixture.ts";
import { openFolder } from "./tool-host-spec.ts";

test("uses a folder that every user can read directly [S-32]", async () => {
  const parent = mkdtempSync(join(tmpdir(), "skillhold-open-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  chmodSync(parent, 0o755);
  await expect(openFolder(parent, true)).resolves.toBe(parent);
});

test("copies a closed folder for root's runs, once per state [S-32]", async () => {
  const folder = skillFolder({ "a.py": "1", "sub/deeper/b.py": "2" });
  chmodSync(folder, 0o700);
  await expect(openFolder(folder, false)).resolves.toBe(folder);
  const copy = await openFolder(folder, true);
  onTestFinished(() => rmSync(copy, { recursive: true }));
  expect(copy).not.toBe(folder);
  expect(readFileSync(join(copy, "sub/deeper/b.py"), "utf8")).toBe("2");
  for (const path of ["", "sub", "sub/deeper"]) expect(statSync(join(copy, path)).mode & 0o777).toBe(0o755);
  expect(statSync(join(copy, "a.py")).mode & 0o777).toBe(0o644);
  await expect(openFolder(folder, true)).resolves.toBe(copy);
  mkdirSync(join(folder, "new"));
  writeFileSync(join(folder, "new/c.py"), "3");
  const next = await openFolder(folder, true);
  onTestFinished(() => rmSync(next, { recursive: true }));
  expect(existsSync(join(next, "new/c.py"))).toBe(true);
});
