import type { ProbeCall } from "./probe.ts";

interface CallRow {
  readonly name: string;
  readonly title: string;
  /** The call's number on x64 and on arm64. */
  readonly numbers: readonly [number, number];
  readonly args: (hostPid: number) => readonly (number | string)[];
}

/**
 * Calls of the kernel that a script has no business with, each in its most harmless form: what they open is closed
 * with the program that made them, and none changes anything outside it.
 */
export const callTable: readonly CallRow[] = [
  {
    name: "trace-process",
    title: "take hold of a process of the host as a debugger does",
    numbers: [101, 117],
    // PTRACE_SEIZE does not stop the process, and ends with the one that asked for it.
    args: (hostPid) => [0x4206, hostPid, 0, 0],
  },
  {
    name: "make-device",
    title: "make a device file",
    numbers: [259, 33],
    args: () => [-100, text("device"), 0o060600, 0x700],
  },
  { name: "become-root", title: "become root", numbers: [105, 146], args: () => [0] },
  { name: "use-io-uring", title: "use io_uring", numbers: [425, 425], args: () => [4, zeros(120)] },
  { name: "use-bpf", title: "use bpf", numbers: [321, 280], args: () => [0, bytes([2, 4, 8, 1], 72), 72] },
  { name: "use-keyring", title: "use the kernel's keys", numbers: [250, 219], args: () => [0, -3, 1] },
  { name: "use-userfaultfd", title: "use userfaultfd", numbers: [323, 282], args: () => [1] },
  {
    name: "use-perf",
    title: "measure the kernel with perf",
    numbers: [298, 241],
    args: () => [bytes([1, 112], 112), 0, -1, -1, 0],
  },
  { name: "use-vsock", title: "reach the machine's own host", numbers: [41, 198], args: () => [40, 1, 0] },
  { name: "use-packets", title: "read raw packets", numbers: [41, 198], args: () => [17, 3, 0] },
  { name: "use-kernel-crypto", title: "use AF_ALG sockets", numbers: [41, 198], args: () => [38, 5, 0] },
];

/** The calls of this machine's processor; none where their numbers are not known. */
export function probeCalls(hostPid: number, platform: string, processor: string): readonly ProbeCall[] {
  const at = ["x64", "arm64"].indexOf(processor);
  if (platform !== "linux" || at < 0) return [];
  return callTable.map(({ name, numbers, args }) => ({
    name,
    number: numbers[at] ?? numbers[0],
    args: args(hostPid),
  }));
}

/** Whole numbers of 32 bits, then zeros up to a length. */
function bytes(numbers: readonly number[], length: number): string {
  const buffer = Buffer.alloc(length);
  for (const [at, number] of numbers.entries()) buffer.writeUInt32LE(number, at * 4);
  return `x${buffer.toString("hex")}`;
}

function zeros(length: number): string {
  return bytes([], length);
}

function text(value: string): string {
  return `x${Buffer.from(`${value}\0`).toString("hex")}`;
}
