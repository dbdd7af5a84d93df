import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";

/**
 * The program that a self-test runs inside a sandbox. It tries what a hostile script would try, and writes
 * one JSON line per attempt. It knows the paths of the canaries but not their content, so only a successful
 * read can report it. It has no imports from this package, because it runs as a single file.
 */
export interface ProbeTask {
  /** Host files with a canary each, and nonexistent paths beside them. */
  readonly home: { readonly canary: string; readonly target: string };
  readonly temporary: { readonly canary: string; readonly target: string };
  /** The host variable that contains a canary. */
  readonly variable: string;
  readonly hostPid: number;
  readonly loopback: { readonly host: string; readonly port: number };
  readonly address: { readonly host: string; readonly port: number } | undefined;
  readonly socket: string;
  readonly abstractSocket: string | undefined;
  readonly calls: readonly ProbeCall[];
  /** The limits of the run. */
  readonly limits: { readonly diskBytes: number; readonly processes: number };
}

/**
 * A system call by number. Numbers are passed as they are; `x` plus hex digits is a pointer to these bytes.
 */
export interface ProbeCall {
  readonly name: string;
  readonly number: number;
  readonly args: readonly (number | string)[];
}

export interface Observation {
  readonly name: string;
  readonly outcome: "reached" | "refused" | "untried";
  /** The result, or the system's error. */
  readonly detail: string;
}

/** Contract: the program is in the skill's folder and runs in the working folder. */
export async function probe(task: ProbeTask, report: (observation: Observation) => void): Promise<void> {
  const skill = import.meta.dirname;
  const attempts: Readonly<Record<string, () => string | Promise<string>>> = {
    "write-work": () => write("written"),
    "read-skill": () => `${readFileSync(join(skill, "SKILL.md")).length} bytes`,
    "read-home": () => readFileSync(task.home.canary, "utf8"),
    "read-temporary": () => readFileSync(task.temporary.canary, "utf8"),
    "read-home-through-init": () => readFileSync(`/proc/1/root${task.home.canary}`, "utf8"),
    "read-home-through-link": () => readThroughLink("link", task.home.canary),
    "read-passwords": () => `${readFileSync("/etc/shadow").length} bytes`,
    "write-home": () => write(task.home.target),
    "write-temporary": () => write(task.temporary.target),
    "change-skill": () => changeSkill(skill),
    "read-environment": () => process.env[task.variable] ?? fail("the variable is not set"),
    "read-environment-of-others": () => findVariable(task.variable),
    "see-processes": () =>
      existsSync("/proc/self") ? listProcesses() : run("ps", ["-p", `${task.hostPid}`]),
    "signal-process": () => signal(task.hostPid),
    "read-memory": () => open(`/proc/${task.hostPid}/mem`, constants.O_RDONLY),
    "connect-loopback": () => reach(task.loopback),
    "connect-address": () => reach(task.address ?? fail("the host has no other address")),
    "connect-socket": () => reach({ path: task.socket }),
    "connect-abstract-socket": () => reach({ path: task.abstractSocket ?? fail("this system has none") }),
    "tunnel-to-loopback": () => tunnel(task.loopback),
    "open-device": () => openDevice(),
    "change-kernel": () => openKernelSetting(),
    "use-terminal": () => open("/dev/tty", constants.O_RDWR),
    "mount-folder": mountFolder,
    "make-user-namespace": () => run("unshare", ["--user", "true"]),
    "gain-privileges": () => readStatus("NoNewPrivs", "1"),
    "use-any-call": () => readStatus("Seccomp", "2"),
  };
  for (const [name, attempt] of Object.entries(attempts)) report(await observe(name, attempt));
  for (const observation of tryCalls(task.calls)) report(observation);
  // Last, because no process can start for a moment after the limit is reached.
  report(await observe("exceed-disk", () => fillDisk(task.limits.diskBytes)));
  report(await observe("exceed-processes", () => startMany(task.limits.processes)));
}

async function observe(name: string, attempt: () => string | Promise<string>): Promise<Observation> {
  try {
    return { name, outcome: "reached", detail: (await attempt()).slice(0, 16_384) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const detail = code || (error instanceof Error ? error.message : String(error));
    return { name, outcome: error instanceof Untried ? "untried" : "refused", detail };
  }
}

class Untried extends Error {}

function write(file: string): string {
  writeFileSync(file, "written by a self-test");
  return "written";
}

function readThroughLink(link: string, target: string): string {
  symlinkSync(target, link);
  return readFileSync(link, "utf8");
}

/** Tries several ways, and fails only when all of them fail. */
function changeSkill(skill: string): string {
  const file = join(skill, "SKILL.md");
  const ways = [
    () => appendFileSync(file, "changed"),
    () => writeFileSync(join(skill, "added"), ""),
    () => chmodSync(file, 0o777),
    () => unlinkSync(file),
  ];
  return firstThatWorks(ways.map((way) => () => String(way() ?? "changed")));
}

function findVariable(name: string): string {
  for (const pid of processIds()) {
    const text = readQuietly(`/proc/${pid}/environ`);
    const entry = text.split("\0").find((each) => each.startsWith(`${name}=`));
    if (entry !== undefined) return entry.slice(name.length + 1);
  }
  return fail("no process shows it");
}

/** Each process as pid and start time, which identify it on the machine. */
function listProcesses(): string {
  return processIds()
    .map((pid) => `${pid}@${readQuietly(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[19]}`)
    .join(" ");
}

/** In a pid namespace the number means another process, and the program must not kill itself. */
function signal(pid: number): string {
  if ([1, process.pid, process.ppid].includes(pid)) return fail("the pid belongs to the program itself");
  process.kill(pid, "SIGTERM");
  return "signalled";
}

function processIds(): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function open(path: string, flags: number): string {
  closeSync(openSync(path, flags | constants.O_NONBLOCK));
  return `${path} opens`;
}

const harmlessDevices = /^(null|zero|full|random|urandom|tty|ptmx|console)$/;

function openDevice(): string {
  const devices = readdirSync("/dev").filter((name) => {
    const stats = statSync(join("/dev", name), { throwIfNoEntry: false });
    const isDevice = stats?.isBlockDevice() === true || stats?.isCharacterDevice() === true;
    return isDevice && !harmlessDevices.test(name) && !/^std(in|out|err)$/.test(name);
  });
  return firstThatWorks(devices.map((name) => () => open(join("/dev", name), constants.O_RDONLY)));
}

function openKernelSetting(): string {
  const files = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper"];
  const groups = ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs"];
  return firstThatWorks([...files, ...groups].map((file) => () => open(file, constants.O_WRONLY)));
}

function firstThatWorks(ways: readonly (() => string)[]): string {
  let answer: unknown = new Error("no target exists");
  for (const way of ways) {
    try {
      return way();
    } catch (error) {
      answer = error;
    }
  }
  throw answer;
}

function reach(target: { host: string; port: number } | { path: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...target, timeout: 1000 });
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    socket.once("connect", () => end(() => resolve("connected")));
    socket.once("timeout", () => end(() => reject(new Error("no answer"))));
    socket.once("error", (error) => end(() => reject(error)));
  });
}

/** Asks the proxy of the run for a server of the host. */
function tunnel({ host, port }: { host: string; port: number }): Promise<string> {
  const proxy = URL.parse(process.env["HTTPS_PROXY"] ?? "") ?? fail("the run has no proxy");
  return new Promise((resolve, reject) => {
    const socket = connect({ host: proxy.hostname, port: Number(proxy.port), timeout: 2000 });
    socket.once("connect", () => socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`));
    socket.once("data", (answer) => {
      socket.destroy();
      const [line = ""] = answer.toString("latin1").split("\r\n");
      if (/^HTTP\/1\.\d 2/.test(line)) resolve("connected");
      else reject(new Error(`the proxy answers ${line.replace(/^HTTP\/\S+ /, "")}`));
    });
    socket.once("timeout", () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
  });
}

/** A successful mount is removed at once, so that the folder can be removed. */
function mountFolder(): string {
  const folder = resolve("mounted");
  mkdirSync(folder);
  const answer = run("mount", ["-t", "tmpfs", "none", folder]);
  spawnSync("umount", [folder]);
  return answer;
}

function run(program: string, args: readonly string[]): string {
  const { error, status, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 2000 });
  if (error !== undefined) throw new Untried(`${program} did not start (${error.message})`);
  return status === 0 ? `${program} works` : fail(stderr.trim().split("\n")[0] || `status ${status}`);
}

/** Succeeds when the kernel reports another value, so the named protection is off. */
function readStatus(field: string, wanted: string): string {
  const line = readFileSync("/proc/self/status", "utf8").match(new RegExp(`^${field}:\\s*(\\S+)`, "m"));
  return line?.[1] === wanted ? fail(`${field} is ${wanted}`) : `${field} is ${line?.[1] ?? "not shown"}`;
}

/** Uses two files, so that a file size limit does not pass as a disk limit. */
function fillDisk(bytes: number): string {
  const files = ["half", "other-half"];
  try {
    for (const file of files) writeFileSync(file, Buffer.alloc(Math.ceil(bytes * 0.75)));
    return "more was written";
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}

function startMany(count: number): string {
  const script = `i=0; while [ $i -le ${count} ]; do sleep 1 >/dev/null 2>&1 & i=$((i+1)); done`;
  return run("sh", ["-c", script]);
}

/** Node has no raw system calls; Perl and Python do, and most systems have one of them. */
function tryCalls(calls: readonly ProbeCall[]): readonly Observation[] {
  const input = calls.map(({ name, number, args }) => [name, number, ...args].join(" ")).join("\n");
  for (const [program, script] of callers) {
    const { status, stdout } = spawnSync(program, [...script], { input, encoding: "utf8", timeout: 3000 });
    const lines = stdout?.trim().split("\n") ?? [];
    if (status === 0 && lines.length === calls.length) return lines.map(readAnswer);
  }
  const detail = "neither perl nor python3 runs in the sandbox";
  return calls.map(({ name }) => ({ name, outcome: "untried", detail }));
}

const perl = `while (<STDIN>) { chomp; my ($name, $number, @args) = split / /;
@args = map { /^x(.*)/ ? pack("H*", $1) : $_ + 0 } @args;
$! = 0; my $result = syscall($number + 0, @args);
print "$name ", ($result == -1 ? $! + 0 : 0), " ", ($result == -1 ? "$!" : $result), "\\n"; }`;

const python = `import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
for line in sys.stdin:
    name, number, *args = line.split()
    args = [ctypes.create_string_buffer(bytes.fromhex(a[1:])) if a[0] == "x" else ctypes.c_long(int(a)) for a in args]
    result = libc.syscall(ctypes.c_long(int(number)), *args)
    error = ctypes.get_errno()
    print(name, error if result == -1 else 0, os.strerror(error) if result == -1 else result)`;

const callers: readonly (readonly [string, readonly string[]])[] = [
  ["perl", ["-e", perl]],
  ["python3", ["-IS", "-c", python]],
];

function readAnswer(line: string): Observation {
  const [name = "", errorNumber = "0", ...text] = line.split(" ");
  return { name, outcome: errorNumber === "0" ? "reached" : "refused", detail: text.join(" ") };
}

function fail(reason: string): never {
  throw new Error(reason);
}

if (process.argv[1] === import.meta.filename) {
  const file = join(import.meta.dirname, "probe.json");
  // The self-test wrote this file from a ProbeTask.
  const task = JSON.parse(readFileSync(file, "utf8")) as ProbeTask;
  await probe(task, (observation) => process.stdout.write(`${JSON.stringify(observation)}\n`));
}
