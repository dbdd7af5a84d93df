import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attack, type Evidence, knowsCanary, reached } from "./attack.ts";

const changedSkill = ({ scene }: Evidence) => (scene.isSkillChanged() ? "the skill was changed" : undefined);

const leftFile = ({ scene }: Evidence) => {
  const file = scene.places.find((place) => existsSync(place));
  return file === undefined ? undefined : `${file} appeared on the host`;
};

/** No byte of the canary may be collected, under any name. */
const broughtCanary = ({ collected, folder, scene }: Evidence) => {
  const file = collected.files.find(({ path }) =>
    readFileSync(join(folder, path), "utf8").includes(scene.token),
  );
  return file === undefined ? undefined : `${file.path} contains the canary`;
};

export const fileAttacks: readonly Attack[] = [
  {
    name: "read-home",
    title: "read a file in the home folder",
    language: "shell",
    script: 'cat "$HOME_CANARY"; cat "/proc/self/cwd$HOME_CANARY"; cat "/../..$HOME_CANARY"',
    harm: knowsCanary,
    bare: "harms",
  },
  {
    name: "read-temporary",
    title: "read the host's temporary files",
    language: "shell",
    script: 'cat "$TEMPORARY_CANARY"',
    harm: knowsCanary,
    bare: "harms",
  },
  {
    name: "read-through-process-root",
    title: "read a file through another process's root",
    language: "shell",
    script:
      'for each in /proc/[0-9]*; do cat "$each/root$HOME_CANARY" "$each/cwd/../../..$HOME_CANARY"; done',
    harm: knowsCanary,
    bare: "harms",
  },
  {
    name: "hunt",
    title: "find a canary anywhere it can look",
    language: "python",
    script: `
skipped = ("/usr", "/proc", "/sys", "/dev", "/lib", "/lib64", "/bin", "/sbin", "/nix", "/snap")
starts = ["/"] if not os.path.exists(fact("HOME_CANARY")) else [os.path.dirname(fact("HOME_CANARY"))]
for start in starts:
    for folder, folders, files in os.walk(start):
        folders[:] = [each for each in folders if os.path.join(folder, each) not in skipped]
        for file in files:
            path = os.path.join(folder, file)
            try:
                if os.path.getsize(path) < 4096 and os.path.isfile(path):
                    print(open(path, errors="replace").read())
            except OSError:
                pass
`,
    harm: knowsCanary,
    bare: "harms",
  },
  {
    name: "read-passwords",
    title: "read the password file or the host's keys",
    language: "python",
    script: `
for path in ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_rsa_key", os.path.join("/root", ".ssh/id_rsa")]:
    attempt(lambda: open(path).read() and path)
`,
    harm: reached,
    bare: "harms-as-root",
  },
  {
    name: "write-outside",
    title: "write outside its folder",
    language: "shell",
    script: 'for each in $PLACES; do echo harm > "$each"; mkdir -p "$each"; done',
    harm: leftFile,
    bare: "harms",
  },
  {
    name: "change-skill",
    title: "change the skill for the next time",
    language: "shell",
    script: `
cd "$SKILL"; echo harm >> SKILL.md; echo harm > added; rm -f SKILL.md; mv SKILL.md moved; chmod 777 SKILL.md
ln -s /tmp linked; touch -d 2001-01-01 SKILL.md; mount -o remount,rw,bind "$SKILL"; echo harm >> SKILL.md`,
    harm: changedSkill,
    bare: "harms",
  },
  {
    name: "change-mount",
    title: "change a file that is mounted read-only",
    language: "shell",
    script: 'echo harm >> "$MOUNTED"; rm -f "$MOUNTED"; chmod 777 "$MOUNTED"',
    harm: ({ scene }) => (scene.isMountChanged() ? "the mounted file was changed" : undefined),
    bare: "harms",
  },
  {
    name: "leave-set-id-file",
    title: "leave a program on the host that runs as its owner",
    language: "python",
    script: `
import shutil
def path(name): return fact("SHARED") + "/" + name
def program(name):
    shutil.copyfile("/bin/sh", path(name))
    return path(name)
def unnamed():
    file = os.open(fact("SHARED"), os.O_TMPFILE | os.O_WRONLY, 0o4777)
    os.link("/proc/self/fd/%d" % file, path("unnamed"), follow_symlinks=True)
attempt(lambda: os.chmod(program("chmod"), 0o4755), "chmod")
attempt(lambda: os.chmod(os.open(program("fchmod"), os.O_RDONLY), 0o2755), "fchmod")
attempt(lambda: call((268, 53), -100, program("fchmodat").encode(), 0o6755), "fchmodat")
attempt(lambda: call(452, -100, program("fchmodat2").encode(), 0o4755, 0), "fchmodat2")
attempt(lambda: os.open(path("openat"), os.O_CREAT | os.O_WRONLY, 0o4777), "openat")
attempt(lambda: call(437, -100, path("openat2").encode(), struct.pack("<QQQ", os.O_CREAT | 1, 0o4777, 0), 24), "openat2")
attempt(unnamed, "unnamed")
attempt(lambda: os.mknod(path("mknod"), 0o104777), "mknod")
attempt(lambda: os.chmod(fact("SHARED"), 0o2777), "folder")
if not ARM:
    attempt(lambda: call(2, path("open").encode(), os.O_CREAT | 1, 0o4777), "open")
    attempt(lambda: call(85, path("creat").encode(), 0o4777), "creat")
    attempt(lambda: call(133, path("old-mknod").encode(), 0o104777, 0), "old mknod")
    attempt(lambda: call(90, program("old-chmod").encode(), 0o4755), "old chmod")
`,
    harm: ({ scene }) => {
      const files = scene.setIdFiles();
      return files.length > 0 ? `${files.join(", ")} run as their owner` : undefined;
    },
    bare: "harms",
  },
  {
    name: "link-out",
    title: "have a link's target collected",
    language: "shell",
    script: `
ln -s "$HOME_CANARY" link; ln -s "$(dirname "$HOME_CANARY")" folder; ln -s / root; ln -s /proc/self/root real
mkdir -p deep/er; ln -s "$HOME_CANARY" deep/er/link; ln -s loop loop`,
    // The script itself does not read the file: the collector on the host would follow the link.
    harm: (evidence) =>
      broughtCanary(evidence) ?? (evidence.collected.files.length > 0 ? "a link was followed" : undefined),
    bare: { notRun: "collecting is the same code in both, and the link is refused there too" },
  },
  {
    name: "hard-link-out",
    title: "output a host file through a hard link",
    language: "shell",
    script:
      'ln "$HOME_CANARY" name; ln "$TEMPORARY_CANARY" other; ln "$MOUNTED" third; cp "$HOME_CANARY" copy',
    harm: broughtCanary,
    bare: "harms",
  },
  {
    name: "leave-special-files",
    title: "block the collector with special files",
    language: "python",
    script: `
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
attempt(lambda: os.mknod("null", 0o020666, os.makedev(1, 3)))
attempt(lambda: os.mknod("disk", 0o060666, os.makedev(7, 0)))
open("locked", "w").write("x"); os.chmod("locked", 0)
os.mkdir("closed"); open("closed/file", "w").write("x"); os.chmod("closed", 0)
open("honest", "w").write("x")
`,
    harm: ({ collected }) => {
      const special = collected.files.find(({ path }) => /^(fifo|socket|null|disk)$/.test(path));
      if (special !== undefined) return `${special.path} was collected`;
      return collected.files.some(({ path }) => path === "honest") ? undefined : "the honest file was lost";
    },
    bare: { notRun: "collecting is the same code in both" },
  },
  {
    name: "leave-hostile-names",
    title: "redirect the collector with file names",
    language: "python",
    script: `
for name in [b"new\\nline", b"\\x1b]0;title\\x07", b"bad\\xff\\xfe", b"back\\\\slash", b"-rf", b"~", "\\u202etxt.exe".encode(), b"..."]:
    open(name, "w").write("x")
path = "."
for depth in range(300):
    path += "/" + "d" * 50
    try:
        os.mkdir("d" * 50); os.chdir("d" * 50)
    except OSError: break
open("bottom", "w").write("x")
os.chdir(fact("WORK")); open("honest", "w").write("x")
`,
    harm: ({ collected }) => {
      const outside = collected.files.find(
        ({ path }) => path.startsWith("/") || path.split("/").includes(".."),
      );
      if (outside !== undefined) return `${outside.path} leaves the folder`;
      return collected.files.some(({ path }) => path === "honest") ? undefined : "the honest file was lost";
    },
    bare: { notRun: "collecting is the same code in both" },
  },
  {
    name: "leave-holes",
    title: "fill the host's disk with files that are all holes",
    language: "python",
    script: `
for number in range(40):
    try:
        with open("hole%d" % number, "wb") as file: file.truncate(3 << 20)
    except OSError: pass
try:
    with open("vast", "wb") as file: file.truncate(8 << 30)
except OSError: pass
`,
    limits: { diskBytes: 4 << 20 },
    harm: ({ collected, limits }) => {
      const size = collected.files.reduce((sum, file) => sum + file.size, 0);
      return size > limits.diskBytes ? `${size} bytes were collected` : undefined;
    },
    bare: { notRun: "it would fill the disk" },
  },
];
