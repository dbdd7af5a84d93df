import { type Attack, type Evidence, outlives } from "./attack.ts";

const MB = 1024 * 1024;
const bounded = { notRun: "it would take the machine's memory, disk or processes" } as const;

const numberAfter = (word: string, { output }: Evidence): number =>
  Number(output.match(new RegExp(`${word} (\\d+)`))?.[1] ?? 0);

const tooMany = (word: string, allowed: (evidence: Evidence) => number) => (evidence: Evidence) => {
  const count = numberAfter(word, evidence);
  return count > allowed(evidence) ? `${word} ${count}, allowed are ${allowed(evidence)}` : undefined;
};

/** The private folders are in memory, so a control group adds room for them to the limit. */
const memoryOfRun = ({ limits }: Evidence) => limits.memoryBytes + 2 * limits.diskBytes;

/** Without a control group, reserved memory is allowed on top, because Node does not start without it. */
const memoryOfProcess = (evidence: Evidence) =>
  evidence.enforced.memory === "run" ? memoryOfRun(evidence) : evidence.limits.memoryBytes + 640 * MB;

const tooMuchMemory = (allowed: (evidence: Evidence) => number) => (evidence: Evidence) => {
  const most = Math.max(0, ...[...evidence.output.matchAll(/took (\d+)/g)].map(([, count]) => Number(count)));
  return most > allowed(evidence) ? `it took ${most} bytes` : undefined;
};

const collectedTooMuch = ({ collected, limits }: Evidence) => {
  const size = collected.files.reduce((sum, file) => sum + file.size, 0);
  return size > limits.diskBytes ? `${size} bytes were collected` : undefined;
};

/** Combines two measures: the script's own count, and the state afterwards. */
const either =
  (...harms: readonly ((evidence: Evidence) => string | undefined)[]) =>
  (evidence: Evidence) =>
    harms.map((harm) => harm(evidence)).find((harm) => harm !== undefined);

const writeMany = (folder: string, files: number, size: number) => `
total = 0
try:
    for number in range(${files}):
        with open("${folder}/file%d" % number, "wb") as file:
            file.write(b"x" * ${size}); file.flush(); total += ${size}
except OSError: pass
print("wrote", total, flush=True)
`;

export const limitAttacks: readonly Attack[] = [
  {
    name: "fork-many",
    title: "start more processes than its limit",
    language: "python",
    script: `
count = 0
try:
    while count < 80:
        if os.fork() == 0: time.sleep(20); os._exit(0)
        count += 1
except OSError: pass
print("started", count, flush=True)
`,
    limits: { processes: 24 },
    harm: either(
      tooMany("started", ({ limits }) => limits.processes),
      outlives,
    ),
    bare: "harms",
  },
  {
    name: "fork-bomb",
    title: "bring the machine down with a fork bomb",
    language: "shell",
    script: "bomb() { bomb | bomb & }; bomb; sleep 20",
    limits: { processes: 24, wallMs: 3000 },
    harm: outlives,
    bare: bounded,
  },
  {
    name: "watch-many",
    title: "use up the file watches of its user",
    language: "python",
    script: `
import ctypes
libc = ctypes.CDLL(None)
made = 0
while made < 100 and libc.inotify_init1(0) >= 0: made += 1
print("watches", made, flush=True)
`,
    harm: tooMany("watches", () => 0),
    bare: "harms",
  },
  {
    name: "queue-many",
    title: "use up the queued signals and message queues of its user",
    language: "python",
    script: `
import resource
print("signals", resource.getrlimit(resource.RLIMIT_SIGPENDING)[1], flush=True)
print("queues", resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1], flush=True)
`,
    harm: either(
      tooMany("signals", () => 1024),
      tooMany("queues", () => 64 * 1024),
    ),
    bare: { notRun: "the kernel applies the same limits to a process without a sandbox" },
  },
  {
    name: "thread-bomb",
    title: "start more threads than its limit",
    language: "python",
    script: `
import threading
count = 0
try:
    while count < 80:
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start(); count += 1
except (RuntimeError, MemoryError): pass
print("started", count, flush=True); os._exit(0)
`,
    limits: { processes: 24 },
    harm: tooMany("started", ({ limits }) => limits.processes),
    bare: "harms",
  },
  {
    name: "take-memory",
    title: "use more memory than its limit",
    language: "python",
    script: `
blocks = []
try:
    while len(blocks) < 64:
        blocks.append(b"x" * (16 << 20)); print("took", len(blocks) << 24, flush=True)
except MemoryError: pass
`,
    limits: { memoryBytes: 128 * MB },
    harm: tooMuchMemory(memoryOfProcess),
    bare: bounded,
  },
  {
    name: "take-memory-by-mapping",
    title: "use more memory than its limit through mappings",
    language: "python",
    script: `
import mmap
blocks = []
try:
    while len(blocks) < 32:
        block = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        for at in range(0, 32 << 20, 4096): block[at] = 1
        blocks.append(block); print("took", len(blocks) << 25, flush=True)
except (OSError, MemoryError): pass
`,
    limits: { memoryBytes: 128 * MB },
    // A per-process limit does not count shared memory; the run's record shows that.
    harm: tooMuchMemory((evidence) =>
      evidence.enforced.memory === "run" ? memoryOfRun(evidence) : Infinity,
    ),
    bare: bounded,
  },
  {
    name: "take-memory-together",
    title: "use more memory than its limit with many processes",
    language: "python",
    script: `
told, tell = os.pipe(); gate, hold = os.pipe(); children = []
for number in range(8):
    children.append(os.fork())
    if children[-1] == 0:
        os.close(hold)
        try: block = b"x" * (64 << 20)
        except MemoryError: os._exit(1)
        os.write(tell, b"x"); os.close(tell); os.read(gate, 1); os._exit(0)
os.close(tell)
# Ends when each child has reported or died. A child that exits normally after the gate opens kept its memory
# until then.
while os.read(told, 8): pass
os.close(hold)
took = sum(os.waitpid(child, 0)[1] == 0 for child in children)
print("took", took * (64 << 20), flush=True)
`,
    limits: { memoryBytes: 128 * MB, processes: 24 },
    harm: tooMany("took", (evidence) =>
      evidence.enforced.memory === "run"
        ? memoryOfRun(evidence)
        : memoryOfProcess(evidence) * evidence.limits.processes,
    ),
    bare: bounded,
  },
  {
    name: "fill-disk-with-a-file",
    title: "fill the disk with one file",
    language: "python",
    script: writeMany(".", 1, 1).replace(
      'file.write(b"x" * 1)',
      "[file.write(b'x' * (1 << 20)) and file.flush() for _ in range(64)]",
    ),
    limits: { diskBytes: 4 * MB },
    harm: collectedTooMuch,
    bare: bounded,
  },
  {
    name: "fill-disk-with-files",
    title: "fill the disk with many files",
    language: "python",
    script: writeMany(".", 64, MB),
    limits: { diskBytes: 4 * MB },
    harm: either(
      collectedTooMuch,
      tooMany("wrote", ({ limits }) => limits.diskBytes),
    ),
    bare: "harms",
  },
  {
    name: "fill-temporary-folder",
    title: "fill the temporary folder, the memory disk or any other",
    language: "python",
    script: `
grand = 0
for folder in ("/tmp", "/run", "/dev/shm", "/var/tmp", "/dev", "/etc", "/"):
${writeMany("HERE", 64, MB)
  .replace('"HERE/file%d" % number', 'folder + "/file%d" % number')
  .trim()
  .replace(/^/gm, "    ")
  .replace('print("wrote", total, flush=True)', "grand += total")}
print("wrote", grand, flush=True)
`,
    limits: { diskBytes: 4 * MB, memoryBytes: 128 * MB },
    // The memory disk and the socket folder have their own limits in addition to the disk limit.
    harm: tooMany("wrote", ({ limits }) => limits.diskBytes + 66 * MB),
    bare: bounded,
  },
  {
    name: "leave-many-files",
    title: "leave more files than the collector accepts",
    language: "python",
    script: `
for number in range(30000):
    try: open("f%d" % number, "w").close()
    except OSError: break
`,
    harm: ({ collected }) =>
      collected.files.length >= 30_000 ? `${collected.files.length} files were collected` : undefined,
    bare: bounded,
  },
  {
    name: "flood-output",
    title: "flood its output with a gigabyte",
    language: "shell",
    script: "yes 'a line of no meaning' | head -c 1073741824",
    harm: ({ output, limits }) =>
      output.length > limits.outputBytes + 4096 ? `${output.length} bytes` : undefined,
    bare: { notRun: "output is counted by the same code in both" },
  },
  {
    name: "flood-without-newline",
    title: "flood both outputs without a newline",
    language: "shell",
    script: "head -c 268435456 /dev/zero >&2 & head -c 268435456 /dev/zero; wait",
    harm: ({ output, limits }) =>
      output.length > limits.outputBytes + 4096 ? `${output.length} bytes` : undefined,
    bare: { notRun: "output is counted by the same code in both" },
  },
  {
    name: "burn-processor",
    title: "use more CPU time than its limit",
    language: "python",
    script: 'end = time.process_time() + 15\nwhile time.process_time() < end: pass\nprint("burned 15")',
    limits: { cpuMs: 1000, wallMs: 40_000 },
    harm: tooMany("burned", () => 0),
    bare: bounded,
  },
  {
    name: "sleep-on",
    title: "sleep past its time limit",
    language: "python",
    script: 'time.sleep(20); print("slept 20")',
    limits: { wallMs: 3000 },
    harm: either(
      tooMany("slept", () => 0),
      outlives,
    ),
    bare: { notRun: "the time is held by the same code in both" },
  },
];
