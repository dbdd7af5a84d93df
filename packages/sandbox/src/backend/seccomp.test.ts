import { describe, expect, test } from "vitest";
import { interpret } from "./bpf.fixture.ts";
import { seccompFilter } from "./seccomp.ts";
import { syscallTables } from "./syscall-table.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EMFILE = 0x00050018;
const KILL = 0x80000000;

/** read, write, openat, execve, exit_group, mmap, prlimit64, wait4, futex, statx, getrandom, memfd_create. */
const USEFUL = {
  x64: [0, 1, 257, 59, 231, 9, 302, 61, 202, 332, 318, 319],
  arm64: [63, 64, 56, 221, 94, 222, 261, 260, 98, 291, 278, 279],
};

describe.each(["x64", "arm64"] as const)("the filter of %s", (name) => {
  const filter = seccompFilter(name);
  const table = syscallTables[name];
  if (table === undefined) throw new Error("There is a table for each.");
  const answer = (number: number, ...args: number[]) => interpret(filter, { arch: table.arch, number, args });

  test("allows the calls of ordinary programs [S-29]", () => {
    for (const number of USEFUL[name]) expect(answer(number)).toBe(ALLOW);
  });

  test.each(Object.entries(table.denied))("rejects %s [S-29]", (_, number) => {
    expect(answer(number)).toBe(EPERM);
  });

  test("lists each denied call once, with a unique number [S-29]", () => {
    const numbers = Object.values(table.denied);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const number of USEFUL[name]) expect(numbers).not.toContain(number);
    const looked = [...Object.values(table.modes), ...Object.values(table.opens)].map(({ number }) => number);
    for (const number of looked) expect(numbers).not.toContain(number);
  });

  test("allows threads and processes, but no namespaces [S-29]", () => {
    const thread = 0x3d0f00;
    const child = 0x01200011;
    expect(answer(table.clone, thread)).toBe(ALLOW);
    expect(answer(table.clone, child)).toBe(ALLOW);
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) expect(answer(table.clone, child + 2 ** bit)).toBe(EPERM);
    expect(answer(table.clone3)).toBe(ENOSYS);
  });

  test.each(Object.entries(table.modes))(
    "allows %s only with a mode without set-id bits [S-29]",
    (_, row) => {
      const args = (mode: number) => Object.assign([0, 0, 0, 0, 0, 0], { [row.mode]: mode });
      for (const mode of [0o644, 0o1777, 0o100755]) expect(answer(row.number, ...args(mode))).toBe(ALLOW);
      for (const mode of [0o4755, 0o2755, 0o6000, 0o104755]) {
        expect(answer(row.number, ...args(mode))).toBe(EPERM);
      }
    },
  );

  test.each(Object.entries(table.opens))("checks the mode of %s when it creates a file [S-29]", (_, row) => {
    const args = (flags: number, mode: number) =>
      Object.assign([0, 0, 0, 0, 0, 0], { [row.flags]: flags, [row.mode]: mode });
    const [create, unnamed] = [0o101, 0o20200001];
    for (const flags of [create, unnamed]) {
      expect(answer(row.number, ...args(flags, 0o4755))).toBe(EPERM);
      expect(answer(row.number, ...args(flags, 0o2755))).toBe(EPERM);
      expect(answer(row.number, ...args(flags, 0o755))).toBe(ALLOW);
    }
    // The argument is undefined then, so it has any value.
    expect(answer(row.number, ...args(0, 0o6755))).toBe(ALLOW);
    expect(answer(row.number, ...args(0o200000, 0o6755))).toBe(ALLOW);
  });

  test("answers calls that create file watches like a user without free ones [S-29]", () => {
    expect(Object.values(table.watches)).not.toEqual([]);
    for (const number of Object.values(table.watches)) expect(answer(number)).toBe(EMFILE);
  });

  test("denies calls whose open flags are in memory [S-29]", () => {
    expect(answer(table.openat2)).toBe(ENOSYS);
  });

  test("allows only local and internet sockets [S-29]", () => {
    for (const family of [1, 2, 10, 16]) expect(answer(table.socket, family)).toBe(ALLOW);
    for (const family of [0, 3, 17, 29, 30, 31, 38, 40, 44]) expect(answer(table.socket, family)).toBe(EPERM);
    expect(answer(table.socketpair, 1)).toBe(ALLOW);
    expect(answer(table.socketpair, 40)).toBe(EPERM);
  });

  test("denies terminal input, regardless of the upper half of the request [S-29]", () => {
    expect(answer(table.ioctl, 0, 0x5401)).toBe(ALLOW);
    expect(answer(table.ioctl, 0, 0x5412)).toBe(EPERM);
    expect(answer(table.ioctl, 0, 0x541c)).toBe(EPERM);
    expect(answer(table.ioctl, 0, 2 ** 32 + 0x5412)).toBe(EPERM);
  });

  test("kills a program that uses the calls of another processor [S-29]", () => {
    expect(interpret(filter, { arch: 0x40000003, number: 1 })).toBe(KILL);
  });
});

test("denies the x32 numbers of x64 [S-29]", () => {
  const arch = 0xc000003e;
  const filter = seccompFilter("x64");
  for (const number of [0x40000000, 0x40000201, 0xffffffff]) {
    expect(interpret(filter, { arch, number })).toBe(EPERM);
  }
});

test("rejects a processor without a table [S-29]", () => {
  expect(() => seccompFilter("mips")).toThrow(expect.objectContaining({ code: "SANDBOX_UNAVAILABLE" }));
});
