import { expect, test } from "vitest";
import { type Need, type SetupHost, setUpSystem } from "./system-setup.ts";

const needs: readonly Need[] = [
  { title: "a box", platform: "linux", programs: ["/usr/bin/box", "/opt/box"], package: "box-tools" },
  { title: "a snake", platform: "linux", programs: ["/usr/bin/snake"], package: "snake" },
  { title: "an apple", platform: "darwin", programs: ["/usr/bin/apple"], package: "apple" },
];

interface Machine extends SetupHost {
  readonly commands: string[];
  readonly notes: string[];
}

/** A machine on which `install` brings the programs that are listed for it. */
function machine(
  programs: readonly string[],
  given: { readonly isRoot?: boolean; readonly brings?: readonly string[]; readonly code?: number } = {},
): Machine {
  const present = new Set(programs);
  const commands: string[] = [];
  const notes: string[] = [];
  return {
    commands,
    notes,
    platform: "linux",
    isRoot: given.isRoot ?? true,
    isProgram: (path) => present.has(path),
    run: (argv) => {
      commands.push(argv.join(" "));
      if (argv.includes("install")) for (const each of given.brings ?? []) present.add(each);
      return { code: given.code ?? 0, errors: "no such archive" };
    },
    note: (line) => void notes.push(line),
  };
}

test("a system that has everything is left alone [S-29]", () => {
  const host = machine(["/opt/box", "/usr/bin/snake"], { isRoot: false });
  setUpSystem(needs, host);
  expect([host.commands, host.notes]).toEqual([[], []]);
});

test("root on Debian gets what is missing, and only that, with one line about it [S-29]", () => {
  const host = machine(["/usr/bin/apt-get", "/usr/bin/snake"], { brings: ["/usr/bin/box"] });
  setUpSystem(needs, host);
  expect(host.commands).toEqual([
    "/usr/bin/apt-get --quiet=2 update",
    "/usr/bin/apt-get --quiet=2 install --yes --no-install-recommends box-tools",
  ]);
  expect(host.notes).toEqual(["Installing what the tests need: box-tools\n"]);
});

test("another user is told what is missing and the command that gets it [S-29]", () => {
  const host = machine(["/usr/bin/apt-get"], { isRoot: false });
  expect(() => setUpSystem(needs, host)).toThrow(
    /a box \(\/usr\/bin\/box or \/opt\/box\)\n- a snake.*\nRun: sudo apt-get update && sudo apt-get install --no-install-recommends box-tools snake$/,
  );
  expect(host.commands).toEqual([]);
});

test("a system without apt-get is told the packages [S-29]", () => {
  expect(() => setUpSystem(needs, machine([]))).toThrow(/package manager: box-tools snake$/);
});

test("a failing apt-get is told with its words, and nothing goes on [S-29]", () => {
  const host = machine(["/usr/bin/apt-get"], { code: 100 });
  expect(() => setUpSystem(needs, host)).toThrow("apt-get update failed (100): no such archive");
  expect(host.commands).toHaveLength(1);
});

test("an installation that brings nothing is not believed [S-29]", () => {
  const host = machine(["/usr/bin/apt-get", "/usr/bin/snake"]);
  expect(() => setUpSystem(needs, host)).toThrow(/a box/);
});
