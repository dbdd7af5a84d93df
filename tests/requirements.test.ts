import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { requirements } from "../docs/requirements.ts";

const root = resolve(import.meta.dirname, "..");

test("every requirement that a test cites exists", () => {
  const cited = citations();
  expect([...cited.keys()].filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
  const open = Object.keys(requirements).filter((id) => !cited.has(id));
  process.stderr.write(`Requirements without a test: ${open.length === 0 ? "none" : open.join(" ")}\n`);
});

test("the requirements are numbered without a gap", () => {
  const ids = Object.keys(requirements);
  expect(ids).toEqual(ids.map((_, index) => `S-${index + 1}`));
});

/** Ids in the names of tests, with the files that cite them. */
function citations(): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>();
  for (const file of testFiles()) {
    for (const [, id = ""] of readFileSync(join(root, file), "utf8").matchAll(/\[(S-\d+)\]/g)) {
      cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

function testFiles(): readonly string[] {
  const list = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "*.test.ts", "*.contract.ts"],
    {
      cwd: root,
    },
  );
  return (
    list
      .toString()
      .split("\n")
      // A file that was taken away is listed until that is committed.
      .filter((file) => file !== "" && existsSync(join(root, file)))
  );
}
