import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BubblewrapHost, findBubblewrap } from "./find-bubblewrap.ts";

let folder: string;
let host: BubblewrapHost;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-test-"));
  const osRelease = join(folder, "os-release");
  host = { platform: "linux", path: "", osRelease, folders: [join(folder, "bin")] };
});
afterEach(() => rmSync(folder, { recursive: true }));

const install = (name: string): string => {
  mkdirSync(join(folder, name));
  const program = join(folder, name, "bwrap");
  writeFileSync(program, "");
  chmodSync(program, 0o755);
  return program;
};

test.each([
  ["ID=debian", "apt-get install bubblewrap"],
  ['ID=pop-like\nID_LIKE="ubuntu debian"', "apt-get install bubblewrap"],
  ["ID=fedora", "dnf install bubblewrap"],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', "dnf install bubblewrap"],
  ["ID=alpine", "apk add bubblewrap"],
  ["ID=arch", "pacman -S bubblewrap"],
  ['ID="opensuse-tumbleweed"', "zypper install bubblewrap"],
  ["ID=unheard-of", "the package bubblewrap, with this system's package manager"],
])("without bubblewrap the error names the system's install command: %j [S-29]", (text, command) => {
  writeFileSync(host.osRelease, `NAME="Some system"\n${text}\n`);
  expect(() => findBubblewrap(host)).toThrow(
    expect.objectContaining({ code: "SANDBOX_UNAVAILABLE", hint: `Install it: ${command}` }),
  );
});

test("gives generic advice on an unknown system [S-29]", () => {
  expect(() => findBubblewrap(host)).toThrow(expect.objectContaining({ code: "SANDBOX_UNAVAILABLE" }));
});

test("prefers system folders over PATH, and ignores relative entries of PATH [S-29]", () => {
  const other = install("other");
  expect(findBubblewrap({ ...host, path: `bin:${join(folder, "other")}` })).toBe(other);
  const own = install("bin");
  expect(findBubblewrap({ ...host, path: join(folder, "other") })).toBe(own);
  expect(() => findBubblewrap({ ...host, folders: [], path: "bin:." })).toThrow();
});

test("on another system the error names the backend to use [S-29]", () => {
  expect(() => findBubblewrap({ ...host, platform: "darwin" })).toThrow(
    expect.objectContaining({
      code: "SANDBOX_UNAVAILABLE",
      hint: expect.stringContaining("sandbox-runtime"),
    }),
  );
});
