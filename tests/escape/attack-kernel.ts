import { existsSync } from "node:fs";
import { type Attack, reached } from "./attack.ts";

/** The script closes everything when it ends; the harm is that the kernel accepts the call. */
const calls = (name: string, title: string, script: string, bare: Attack["bare"]): Attack => ({
  name,
  title,
  language: "python",
  script,
  harm: reached,
  bare,
});

const built = { notRun: "the kernel may lack it or reserve it for root" } as const;

export const kernelAttacks: readonly Attack[] = [
  calls(
    "mount-folder",
    "mount a folder",
    `
attempt(lambda: call((165, 40), b"none", fact("WORK").encode(), b"tmpfs", 0, 0), "mount")
attempt(lambda: call((166, 39), fact("WORK").encode(), 2), "unmount")
attempt(lambda: call(430, b"tmpfs", 0), "fsopen")
attempt(lambda: call(428, -100, b"/", 1), "open_tree")
attempt(lambda: call((155, 41), b".", b"."), "pivot_root")
attempt(lambda: call((161, 51), b"."), "chroot")
`,
    "harms-as-root",
  ),
  calls(
    "make-user-namespace",
    "create a user namespace, which exposes the whole kernel interface",
    `
import subprocess
if os.fork() == 0:
    attempt(lambda: call((272, 97), 0x10000000), "unshare"); os._exit(0)
os.wait()
if subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL).returncode == 0: reached("tool")
`,
    "harms-as-root",
  ),
  calls(
    "make-user-namespace-with-clone3",
    "create a user namespace with clone3, whose flags no filter can read",
    `
flags = struct.pack("<11Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
try:
    child = call(435, flags, 88)
    if child == 0: os._exit(0)
    os.waitpid(child, 0); reached("clone3")
except OSError as error: print("refused:", error)
`,
    "harms-as-root",
  ),
  calls(
    "join-namespace",
    "join a namespace of another process",
    `
for kind in ("user", "mnt", "pid", "net"):
    for owner in ("1", fact("VICTIM")):
        if os.fork() == 0:
            try:
                with open("/proc/%s/ns/%s" % (owner, kind)) as file:
                    if call((308, 268), file.fileno(), 0) == 0: reached(kind)
            except OSError as error: print("refused:", error)
            sys.stdout.flush(); os._exit(0)
        os.wait()
`,
    "harms-as-root",
  ),
  calls(
    "become-root",
    "become root",
    'attempt(lambda: call((105, 146), 0) or os.getuid() == 0, "setuid")',
    "harms-as-root",
  ),
  {
    name: "use-setuid-program",
    title: "gain privileges through setuid programs",
    language: "python",
    script: `
status = open("/proc/self/status").read()
for field, safe in (("NoNewPrivs", "1"), ("CapEff", "0" * 16), ("CapBnd", "0" * 16), ("CapPrm", "0" * 16), ("Seccomp", "2")):
    value = [line.split()[1] for line in status.splitlines() if line.startswith(field + ":")][0]
    if value != safe: reached(field + " is " + value)
`,
    harm: reached,
    bare: "harms",
  },
  {
    name: "make-device",
    title: "create or open a device",
    language: "python",
    script: `
import stat
def make():
    os.mknod("disk", 0o060600, os.makedev(7, 0))
    os.close(os.open("disk", os.O_RDONLY | os.O_NONBLOCK))
attempt(make, "made")
fine = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console", "stdin", "stdout", "stderr"}
for name in set(os.listdir("/dev")) - fine:
    path = "/dev/" + name
    mode = os.stat(path).st_mode if os.path.exists(path) else 0
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        attempt(lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)), path)
`,
    harm: reached,
    bare: "harms-as-root",
  },
  {
    name: "change-kernel",
    title: "change kernel settings",
    language: "python",
    script: `
for path in ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/proc/sys/fs/binfmt_misc/register",
             "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs",
             "/sys/fs/cgroup/memory/release_agent", "/sys/kernel/debug", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory"]:
    attempt(lambda: os.close(os.open(path, os.O_WRONLY)), path)
`,
    harm: reached,
    bare: "harms-as-root",
  },
  {
    name: "share-memory",
    title: "leave memory that other programs can share",
    language: "python",
    script: `
open("/dev/shm/" + fact("MARK"), "w").write("harm")
call((29, 194), int(fact("SEGMENT")), 4096, 0o1600)
`,
    harm: ({ scene }) => {
      if (scene.isSegmentShared()) return "a segment is shared with the host";
      return existsSync(`/dev/shm/${scene.mark}`) ? "a file is shared with the host" : undefined;
    },
    bare: "harms",
  },
  calls("use-io-uring", "use io_uring", 'attempt(lambda: call(425, 4, bytes(120)), "io_uring")', built),
  calls(
    "use-bpf",
    "load programs into the kernel",
    `
attempt(lambda: call((321, 280), 0, struct.pack("<IIII", 2, 4, 8, 1).ljust(72, b"\\0"), 72), "bpf")
attempt(lambda: call((175, 105), b"", 0, b""), "init_module")
attempt(lambda: call((246, 104), 0, 0, 0, 0), "kexec")
`,
    "harms-as-root",
  ),
  calls(
    "use-keyring",
    "use the kernel's keys",
    'attempt(lambda: call((250, 219), 0, -3, 1), "keyctl")\nattempt(lambda: call((248, 217), b"user", b"harm", b"x", 1, -2), "add_key")',
    "harms",
  ),
  calls("use-userfaultfd", "use userfaultfd", 'attempt(lambda: call((323, 282), 1), "userfaultfd")', built),
  calls(
    "use-perf",
    "measure the kernel",
    'attempt(lambda: call((298, 241), struct.pack("<IIQ", 1, 112, 0).ljust(112, b"\\0"), 0, -1, -1, 0), "perf")',
    built,
  ),
  calls(
    "open-by-handle",
    "open a file by its handle, past the mounts",
    `
handle = ctypes.create_string_buffer(struct.pack("<Ii", 8, 1) + struct.pack("<Q", 2) + bytes(128))
with open(fact("SKILL") + "/SKILL.md") as anchor:
    attempt(lambda: call((304, 265), anchor.fileno(), handle, 0), "handle")
`,
    { notRun: "which files have handles depends on the disk" },
  ),
  calls(
    "use-other-numbers",
    "use system call numbers of another processor",
    `
import mmap
def machine(code):
    page = mmap.mmap(-1, 4096, prot=7); page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
if not ARM:
    attempt(lambda: call(0x40000000 | 425, 4, bytes(120)), "x32")
    if os.fork() == 0:
        # keyctl(0, -3, 0) by the numbers of a 32-bit program
        code = b"\\x53\\xb8" + struct.pack("<i", 288) + b"\\xbb" + struct.pack("<i", 0) + b"\\xb9" + struct.pack("<i", -3) + b"\\xba" + struct.pack("<i", 0) + b"\\xcd\\x80\\x5b\\xc3"
        if machine(code) > 0: reached("i386")
        sys.stdout.flush(); os._exit(0)
    os.wait()
`,
    built,
  ),
];
