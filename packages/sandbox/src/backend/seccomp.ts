import { SkillError } from "@skillhold/protocol/error";
import { type OpenCall, type SyscallTable, syscallTables } from "./syscall-table.ts";

/**
 * The seccomp filter of every run, as a classic BPF program. In addition to namespaces, it blocks kernel
 * features that scripts do not need and that had most of the vulnerabilities.
 */
export function seccompFilter(architecture: string = process.arch): Uint8Array {
  const table = syscallTables[architecture];
  if (table === undefined) {
    throw new SkillError(
      "SANDBOX_UNAVAILABLE",
      `No system call filter exists for the processor ${architecture}.`,
      {
        hint: `Supported processors: ${Object.keys(syscallTables).join(", ")}.`,
      },
    );
  }
  return assemble(write(table));
}

type Step =
  | { readonly op: "load"; readonly offset: number }
  | { readonly op: "return"; readonly value: number }
  /** Continues with the next step when the label is absent. */
  | { readonly op: Test; readonly value: number; readonly yes?: Target; readonly no?: Target }
  | { readonly op: "label"; readonly name: Target };
type Test = "equal" | "atLeast" | "hasBits";
type Target =
  | "start"
  | "socket"
  | "clone"
  | "ioctl"
  | "deny"
  | "absent"
  | "exhausted"
  | "allow"
  /** Checks one argument: a mode, or the flags of a call that may create a file. */
  | `mode-${number}`
  | `flags-${number}`;

/** Offsets in `struct seccomp_data`. Of an argument, only the lower half matters to these calls. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number): number => 16 + 8 * index;

const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050000 + 38;
const EMFILE = 0x00050000 + 24;

const X32_NUMBERS = 0x40000000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET; NEWTIME is invalid for `clone`. */
const NEW_NAMESPACE = 0x7e020000;
/** These insert characters into the terminal's input, as if the user had typed them. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, which the network namespace and the root folder restrict. */
const FAMILIES = [1, 2, 10, 16];

/**
 * S_ISUID and S_ISGID: on a host disk, such a file would give its owner's rights to every user who runs it.
 */
const SET_ID = 0o6000;
/**
 * O_CREAT and __O_TMPFILE, equal on all supported processors. Without them the mode argument is undefined.
 */
const MAKES_FILE = 0o100 | 0o20000000;

function write(table: SyscallTable): readonly Step[] {
  return [
    { op: "load", offset: ARCH },
    { op: "equal", value: table.arch, yes: "start" },
    { op: "return", value: KILL },
    { op: "label", name: "start" },
    { op: "load", offset: NUMBER },
    ...(table.hasX32 ? [{ op: "atLeast", value: X32_NUMBERS, yes: "deny" } as const] : []),
    ...Object.values(table.denied).map((value): Step => ({ op: "equal", value, yes: "deny" })),
    // The kernel counts watches per user, so a run could use up those of the host's user. The error is the one of a user
    // without free watches, after which programs poll.
    ...Object.values(table.watches).map((value): Step => ({ op: "equal", value, yes: "exhausted" })),
    // The arguments of `clone3` and `openat2` are in memory, which a filter cannot read; programs fall back
    // to the older calls.
    { op: "equal", value: table.clone3, yes: "absent" },
    { op: "equal", value: table.openat2, yes: "absent" },
    ...Object.values(table.modes).map(
      ({ number: value, mode }): Step => ({ op: "equal", value, yes: `mode-${mode}` }),
    ),
    ...Object.values(table.opens).map(
      ({ number: value, flags }): Step => ({ op: "equal", value, yes: `flags-${flags}` }),
    ),
    { op: "equal", value: table.clone, yes: "clone" },
    { op: "equal", value: table.ioctl, yes: "ioctl" },
    { op: "equal", value: table.socket, yes: "socket" },
    { op: "equal", value: table.socketpair, yes: "socket", no: "allow" },
    ...Object.values(table.opens).flatMap(readFlags),
    ...modePlaces(table).flatMap(readMode),
    { op: "label", name: "clone" },
    { op: "load", offset: argument(0) },
    { op: "hasBits", value: NEW_NAMESPACE, yes: "deny", no: "allow" },
    { op: "label", name: "ioctl" },
    { op: "load", offset: argument(1) },
    ...TERMINAL_INPUT.map((value): Step => ({ op: "equal", value, yes: "deny" })),
    { op: "return", value: ALLOW },
    { op: "label", name: "socket" },
    { op: "load", offset: argument(0) },
    ...FAMILIES.map((value): Step => ({ op: "equal", value, yes: "allow" })),
    { op: "label", name: "deny" },
    { op: "return", value: EPERM },
    { op: "label", name: "absent" },
    { op: "return", value: ENOSYS },
    { op: "label", name: "exhausted" },
    { op: "return", value: EMFILE },
    { op: "label", name: "allow" },
    { op: "return", value: ALLOW },
  ];
}

function readFlags({ flags, mode }: OpenCall): readonly Step[] {
  return [
    { op: "label", name: `flags-${flags}` },
    { op: "load", offset: argument(flags) },
    { op: "hasBits", value: MAKES_FILE, yes: `mode-${mode}`, no: "allow" },
  ];
}

function modePlaces({ modes, opens }: SyscallTable): readonly number[] {
  return [...new Set([...Object.values(modes), ...Object.values(opens)].map(({ mode }) => mode))];
}

function readMode(place: number): readonly Step[] {
  return [
    { op: "label", name: `mode-${place}` },
    { op: "load", offset: argument(place) },
    { op: "hasBits", value: SET_ID, yes: "deny", no: "allow" },
  ];
}

const OPCODES = { load: 0x20, return: 0x06, equal: 0x15, atLeast: 0x35, hasBits: 0x45 } as const;

/** Replaces labels by jump distances. Labels produce no instruction. */
function assemble(steps: readonly Step[]): Uint8Array {
  const places = new Map<Target, number>();
  const instructions: Exclude<Step, { op: "label" }>[] = [];
  for (const step of steps) {
    if (step.op === "label") places.set(step.name, instructions.length);
    else instructions.push(step);
  }
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach((step, at) => {
    const start = at * 8;
    bytes.writeUInt16LE(OPCODES[step.op], start);
    if (step.op !== "load" && step.op !== "return") {
      bytes.writeUInt8(distance(step.yes, at, places), start + 2);
      bytes.writeUInt8(distance(step.no, at, places), start + 3);
    }
    bytes.writeUInt32LE(step.op === "load" ? step.offset : step.value, start + 4);
  });
  return bytes;
}

/** Contract: jumps go forward by at most 255, which `writeUInt8` enforces. */
function distance(target: Target | undefined, from: number, places: ReadonlyMap<Target, number>): number {
  if (target === undefined) return 0;
  const place = places.get(target);
  if (place === undefined) throw new Error(`The filter has no label ${target}.`);
  return place - from - 1;
}
