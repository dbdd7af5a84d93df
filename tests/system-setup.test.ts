import { expect, test } from "vitest";
import { type Need, type SetupHost, setUpSystem } from "./system-setup.ts";

const needs: readonly Need[] = [
  { title: "a box", platform: "linux", programs: ["/usr/bin/box", "/opt/box"], package: "box-tools" },
  { title: "a snake", platform: "linux", programs: ["/usr/bin/snake"], package: "snake" },
  {
    ...{ title: "an office", platform: "linux", programs: ["/usr/bin/office"] },
    ...{ package: "office-a office-b", importance: "wanted" },
  },
  {
    title: "a door",
    platform: "linux",
    programs: ["/usr/sbin/door"],
    package: "door",
    importance: "unpacked",
  },
  { title: "an apple", platform: "darwin", programs: ["/usr/bin/apple"], package: "apple" },
];

interface Machine extends SetupHost {
  readonly commands: string[];
  readonly notes: string[];
}

/** A machine on which `install` brings the programs that are listed for it. */
function machine(
  programs: readonly string[],
  given: {
    readonly isRoot?: boolean;
    readonly isWholeRun?: boolean;
    readonly brings?: readonly string[];
    readonly code?: number;
  } = {},
): Machine {
  const present = new Set(programs);
  const commands: string[] = [];
  const notes: string[] = [];
  return {
    commands,
    notes,
    platform: "linux",
    isRoot: given.isRoot ?? true,
    isWholeRun: given.isWholeRun ?? false,
    unpacked: "/cache",
    isProgram: (path) => present.has(path),
    run: (argv) => {
      commands.push(argv.join(" "));
      if (argv.includes("install") || argv.includes("unpack"))
        for (const each of given.brings ?? []) present.add(each);
      return { code: given.code ?? 0, errors: "no such archive" };
    },
    note: (line) => void notes.push(line),
  };
}

test("changes nothing on a complete system [S-29]", () => {
  const host = machine(["/opt/box", "/usr/bin/snake"], { isRoot: false });
  setUpSystem(needs, host);
  expect([host.commands, host.notes]).toEqual([[], []]);
});

test("installs exactly the missing packages as root on Debian, with one line of output [S-29]", () => {
  const host = machine(["/usr/bin/apt-get", "/usr/bin/snake"], { brings: ["/usr/bin/box"] });
  setUpSystem(needs, host);
  const settings = "-o DPkg::Lock::Timeout=600 -o Acquire::http::Timeout=20 -o Acquire::Retries=1";
  expect(host.commands).toEqual([
    `/usr/bin/apt-get --quiet ${settings} update`,
    `/usr/bin/apt-get --quiet ${settings} install --yes --no-install-recommends box-tools`,
  ]);
  expect(host.notes).toEqual(["Installing programs that the tests use: box-tools\n"]);
});

test("shows other users the missing programs and the install command [S-29]", () => {
  const host = machine(["/usr/bin/apt-get"], { isRoot: false });
  expect(() => setUpSystem(needs, host)).toThrow(
    /a box \(\/usr\/bin\/box or \/opt\/box; box-tools\)\n- a snake.*\nRun: sudo apt-get update && sudo apt-get install --no-install-recommends box-tools snake$/,
  );
  expect(host.commands).toEqual([]);
});

test("names the packages on a system without apt-get [S-29]", () => {
  expect(() => setUpSystem(needs, machine([]))).toThrow(/package manager: box-tools snake$/);
});

test("stops at a failing apt-get and shows its output [S-29]", () => {
  const host = machine(["/usr/bin/apt-get"], { code: 100 });
  expect(() => setUpSystem(needs, host)).toThrow("apt-get update failed (100): no such archive");
  expect(host.commands).toHaveLength(1);
});

test("fails when an installation brings nothing [S-29]", () => {
  const host = machine(["/usr/bin/apt-get", "/usr/bin/snake"]);
  expect(() => setUpSystem(needs, host)).toThrow(/a box/);
});

test("a full run as root installs optional programs, and names those that are still missing [S-29]", () => {
  const programs = ["/usr/bin/apt-get", "/opt/box", "/usr/bin/snake"];
  const host = machine(programs, { isWholeRun: true, brings: ["/usr/bin/office"] });
  setUpSystem(needs, host);
  expect(host.commands[1]).toMatch(/ install --yes --no-install-recommends office-a office-b$/);
  expect(host.notes).toEqual([
    "Installing programs that the tests use: office-a, office-b\n",
    "Unpacking programs that the tests use: door\n",
    "Some tests are skipped without these programs:\n- a door (/usr/sbin/door; door)\n",
  ]);
});

test("names an optional program that cannot be installed, and runs the tests [S-29]", () => {
  const programs = ["/usr/bin/apt-get", "/opt/box", "/usr/bin/snake"];
  const named = /without these programs:\n- an office \(.*; office-a office-b\)\n- a door/;
  const offline = machine(programs, { isWholeRun: true, code: 100 });
  setUpSystem(needs, offline);
  expect(offline.notes).toContainEqual(
    expect.stringContaining("apt-get update failed (100): no such archive"),
  );
  expect(offline.notes.at(-2)).toBe("The packages were not unpacked (100): no such archive\n");
  expect(offline.notes.at(-1)).toMatch(named);
});

test("a full run unpacks servers into the cache, without root and once [S-29]", () => {
  const programs = ["/usr/bin/apt-get", "/opt/box", "/usr/bin/snake", "/usr/bin/office"];
  const host = machine(programs, { isWholeRun: true, isRoot: false, brings: ["/cache/usr/sbin/door"] });
  setUpSystem(needs, host);
  setUpSystem(needs, host);
  expect(host.commands).toEqual([
    expect.stringMatching(
      /^\/bin\/sh -c [\s\S]*--download-only[\s\S]* unpack \/usr\/bin\/apt-get \/cache door$/,
    ),
  ]);
  expect(host.notes).toEqual(["Unpacking programs that the tests use: door\n"]);
  const installed = machine([...programs, "/usr/sbin/door"], { isWholeRun: true, isRoot: false });
  setUpSystem(needs, installed);
  expect([installed.commands, installed.notes]).toEqual([[], []]);
});
