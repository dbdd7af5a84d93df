import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const script = fileURLToPath(new URL("../scripts/complete-lock.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "skillhold-lock-"));
afterAll(() => rmSync(folder, { recursive: true }));

const unverified: readonly string[] = JSON.parse(
  readFileSync(new URL("../scripts/unverified-packages.json", import.meta.url), "utf8"),
);
const sha512 = `sha512-${"A".repeat(86)}==`;

function check(packages: Readonly<Record<string, unknown>>): {
  readonly code: number | null;
  readonly err: string;
} {
  const file = join(folder, "lock.json");
  writeFileSync(file, JSON.stringify({ packages }));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", file], { encoding: "utf8" });
  return { code: status, err: stderr };
}

test("accepts packages with an integrity, and listed ones of another platform without [S-36]", () => {
  const [, name = "", version] = /^(.+)@(.+)$/.exec(unverified[0] ?? "") ?? [];
  const packages = {
    "": { name: "workspace" },
    "packages/a": {},
    "node_modules/a": { link: true, resolved: "packages/a" },
    "node_modules/b": { version: "1.0.0", integrity: sha512 },
    [`node_modules/${name}`]: { version, optional: true, os: ["android"] },
  };
  expect(check(packages)).toEqual({ code: 0, err: "" });
});

test("rejects packages whose bytes are not compared, or that come from elsewhere [S-36]", () => {
  const packages = {
    "node_modules/none": { version: "1.0.0" },
    "node_modules/weak": { version: "1.0.0", integrity: "sha1-abc" },
    "node_modules/git": { version: "1.0.0", integrity: sha512, resolved: "git+ssh://git@host/a.git" },
    "node_modules/b/node_modules/deep": { version: "1.0.0", optional: true },
    "node_modules/new-darwin": { version: "1.0.0", optional: true, os: ["darwin"] },
    "node_modules/here": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"] },
  };
  const { code, err } = check(packages);
  expect(code).toBe(1);
  for (const name of ["none", "weak", "git", "deep", "new-darwin", "here"])
    expect(err).toContain(`node_modules/${name}`);
});

test("every lock file of the repository passes [S-36]", () => {
  expect(spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});
