/** Builtins and keywords of bash, zsh and POSIX sh. */
const BUILTINS = `
alias autoload bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown
do done echo elif else emulate enable esac eval exec exit export false fc fg fi for function getopts hash help history if in
jobs kill let local logout mapfile newgrp popd printf pushd pwd read readarray readonly return select set setopt shift shopt source
suspend test then time times trap true type typeset ulimit umask unalias unset unsetopt until wait whence while zmodload zstyle
bashcompinit compadd compctl compdef compinit print vared zle
`;

/**
 * Commands that every Unix system has: coreutils, findutils, diffutils, grep, sed, awk, tar, gzip and basic
 * util-linux.
 */
const BASICS = `
arch awk b2sum base32 base64 basename basenc bc bunzip2 bzcat bzip2 cal cat chcon chgrp chmod chown chroot cksum clear cmp column comm
compress cp cpio crontab csplit cut date dc dd df diff diff3 dir dircolors dirname dmesg du ed egrep env expand expr factor fgrep file
find flock fmt fold free fuser gawk getconf getent getopt grep groups gunzip gzip hd head hexdump hostid hostname iconv id install
ionice ipcrm ipcs join killall last less link ln locale locate logger login logname look ls lscpu lsblk lsof mawk md5 md5sum mesg mkdir mkfifo
mknod mktemp more mount mountpoint mv nawk nice nl nohup nproc numfmt od passwd paste patch pathchk pgrep pidof ping pinky
pkill pr printenv ps ptx readlink realpath renice reset rev rm rmdir runcon script sdiff sed seq setsid sh sha1sum sha224sum
sha256sum sha384sum sha512sum shasum shred shuf sleep sort split stat stdbuf strings stty su sudo sum sync tac tail tar tee timeout
top touch tput tr truncate tsort tty umount uname uncompress unexpand uniq unlink uptime users vdir vi vim w wall watch wc whereis
which who whoami xargs xxd yes zcat zcmp zdiff zgrep zless
`;

/** Commands of a single system. Scripts test for them first, or target only that system. */
const OF_ONE_SYSTEM = `
defaults diskutil dscl launchctl mdfind mdls networksetup open pbcopy pbpaste plutil say scutil sips softwareupdate
sw_vers systemsetup textutil xattr xcode-select osascript afplay screencapture ditto caffeinate
apk apt apt-cache apt-get dnf dpkg journalctl loginctl pacman rpm service snap systemctl update-alternatives yum zypper
cmd cmd.exe powershell powershell.exe wslpath clip.exe explorer.exe cygpath doas add-apt-repository sysctl ip ifconfig route
`;

/** Interpreters, by command name. */
const RUNTIMES: ReadonlyMap<string, string> = new Map(
  `python=python3 python3=python3 pypy3=pypy3 pip=pip3 pip3=pip3 node=node nodejs=node npm=npm npx=npm deno=deno bun=bun bunx=bun
  uv=uv uvx=uv ruby=ruby perl=perl bash=bash zsh=zsh fish=fish ksh=ksh dash=dash php=php lua=lua Rscript=Rscript R=R julia=julia
  java=java go=go pwsh=pwsh tclsh=tclsh python2=python2`
    .split(/\s+/)
    .map((entry) => entry.split("=", 2) as [string, string]),
);

const IGNORED: ReadonlySet<string> = new Set(`${BUILTINS} ${BASICS} ${OF_ONE_SYSTEM}`.trim().split(/\s+/));

/** True for a command that no skill needs to declare. */
export function isCommonCommand(name: string): boolean {
  return IGNORED.has(name);
}

/** The runtime of a command under its usual name: `python3.11` is python3. */
export function commandRuntime(command: string): string | undefined {
  const name = command.replace(/\.exe$/i, "");
  return RUNTIMES.get(name) ?? RUNTIMES.get(name.replace(/^(python\d|pip\d)\.\d+$/, "$1"));
}

/** The syntax of a command that runs another one: options that take a word, and leading words of its own. */
export interface CommandWrapper {
  readonly valued: ReadonlySet<string>;
  readonly words: number;
}

const wrapper = (valued: string, words = 0): CommandWrapper => ({
  valued: new Set(valued.split(" ")),
  words,
});

export const WRAPPERS: ReadonlyMap<string, CommandWrapper> = new Map([
  ["sudo", wrapper("-u -g -h -p -C -D -R -T -U --user --group --prompt --chdir")],
  ["doas", wrapper("-u -C")],
  ["env", wrapper("-u -C --unset --chdir")],
  ["xargs", wrapper("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file --replace")],
  ["time", wrapper("-f -o --format --output")],
  ["nohup", wrapper("")],
  ["exec", wrapper("-a")],
  ["command", wrapper("")],
  ["builtin", wrapper("")],
  ["nice", wrapper("-n --adjustment")],
  ["ionice", wrapper("-c -n -p --class --classdata")],
  ["timeout", wrapper("-k -s --kill-after --signal", 1)],
  ["stdbuf", wrapper("-i -o -e --input --output --error")],
  ["setsid", wrapper("")],
  ["caffeinate", wrapper("-t -w")],
  ["watch", wrapper("-n -d --interval")],
  ["flock", wrapper("-w -E --timeout", 1)],
]);
