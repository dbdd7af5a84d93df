import { type Attack, knowsCanary, outlives, reached } from "./attack.ts";

const daemon = `
def daemon():
    if os.fork() == 0:
        os.setsid()
        for number in (1, 2, 3, 15): signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            for descriptor in range(3): os.close(descriptor)
            time.sleep(20)
        os._exit(0)
    os.wait()
`;

export const processAttacks: readonly Attack[] = [
  {
    name: "see-processes",
    title: "see other processes",
    language: "python",
    script: `
for each in os.listdir("/proc"):
    if each.isdigit():
        try:
            if fact("VICTIM_NAME") in open("/proc/%s/cmdline" % each).read(): reached(each)
        except OSError: pass
`,
    harm: reached,
    bare: "harms",
  },
  {
    name: "signal-process",
    title: "signal a host process",
    language: "shell",
    // A signaled process may take a moment to exit.
    script:
      'kill -TERM "$VICTIM"; kill -TERM -"$VICTIM"; for i in 1 2 3 4 5 6 7 8 9; do kill -0 "$VICTIM" || break; sleep 0.2; done',
    harm: ({ scene }) => (scene.isVictimAlive() ? undefined : "the process was ended"),
    bare: "harms",
  },
  {
    name: "signal-all",
    title: "signal every process it can",
    language: "shell",
    script: "kill -TERM -1; kill -KILL -1; sleep 1",
    harm: ({ scene }) => (scene.isVictimAlive() ? undefined : "the process was ended"),
    bare: { notRun: "it would end every process of this user" },
  },
  {
    name: "trace-process",
    title: "trace a host process or read its memory",
    language: "python",
    script: `
victim = int(fact("VICTIM"))
attempt(lambda: call((101, 117), 0x4206, victim, 0, 0), "ptrace")
attempt(lambda: open("/proc/%d/mem" % victim, "rb").close(), "memory")
attempt(lambda: os.pidfd_open(victim), "pidfd")
`,
    harm: reached,
    bare: "harms",
  },
  {
    name: "read-environment",
    title: "read the host's environment, its own or another process's",
    language: "shell",
    script: "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
    harm: knowsCanary,
    bare: "harms",
  },
  {
    name: "use-descriptors",
    title: "use open descriptors of the host",
    language: "shell",
    script: `
ls -l /proc/self/fd | grep -vE ' [012] -> | -> /proc/[0-9]+/fd$| -> /dev/null$|^total' | sed 's/^/REACHED /'
for each in 3 4 5 6 7 8 9 20 21 22 23 24 25 26; do ( eval "cat <&$each" ) 2>/dev/null; done`,
    harm: (evidence) => knowsCanary(evidence) ?? reached(evidence),
    bare: { notRun: "Node hands down none in either; a test of its own hands one down on purpose" },
  },
  {
    name: "outlive-parent",
    title: "leave a process behind (double fork, own session, signals ignored)",
    language: "python",
    script: `${daemon}\ndaemon()`,
    harm: outlives,
    bare: "harms",
  },
  {
    name: "outlive-with-nohup",
    title: "leave a process behind with nohup and setsid",
    language: "shell",
    script:
      "nohup setsid sh -c ': > on; exec sleep 20' >/dev/null 2>&1 & (trap '' HUP TERM; sleep 20 </dev/null >/dev/null 2>&1 &); while [ ! -e on ]; do sleep 0.05; done",
    harm: outlives,
    bare: "harms",
  },
  {
    name: "ignore-end",
    title: "survive its time limit by ignoring signals",
    language: "python",
    script: `
for number in range(1, 32):
    if number not in (9, 17, 19): signal.signal(number, signal.SIG_IGN)
os.fork(); time.sleep(20)
`,
    limits: { wallMs: 3000 },
    harm: (evidence) =>
      outlives(evidence) ?? (evidence.exit.code === 0 ? "the script exited by itself" : undefined),
    bare: { notRun: "a group of processes is ended bare as well" },
  },
  {
    name: "outlive-time",
    title: "leave a process behind after its time limit",
    language: "python",
    script: `${daemon}\ndaemon()\ntime.sleep(20)`,
    limits: { wallMs: 3000 },
    harm: outlives,
    bare: "harms",
  },
  {
    name: "close-output",
    title: "close its output and keep running",
    language: "shell",
    script: "exec 0<&- 1>&- 2>&-; sleep 20",
    limits: { wallMs: 3000 },
    harm: (evidence) =>
      outlives(evidence) ?? (evidence.exit.code === 0 ? "the script exited by itself" : undefined),
    bare: { notRun: "a group of processes is ended bare as well" },
  },
  {
    name: "type-on-terminal",
    title: "type on the terminal that started it",
    language: "python",
    script: `
import fcntl, termios
attempt(lambda: os.open("/dev/tty", os.O_RDWR), "terminal")
for descriptor in range(3):
    attempt(lambda: fcntl.ioctl(descriptor, termios.TIOCSTI, b"x"), "typed")
`,
    harm: reached,
    bare: { notRun: "its input is a pipe bare as well" },
  },
  {
    name: "raise-limits",
    title: "raise its own limits",
    language: "python",
    script: `
import resource
for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE):
    soft, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        try: resource.setrlimit(kind, (hard + 1, hard + 1)); reached(kind)
        except (OSError, ValueError): pass
`,
    harm: reached,
    bare: { notRun: "without limits there is nothing to raise" },
  },
];
