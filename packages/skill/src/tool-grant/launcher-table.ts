/**
 * The requirement for a prefix of a launcher, a program that runs other programs or code.
 * - `nothing`: no prefix is enough, because the following words choose the program or how it runs;
 * - `script`: the next word must be a file, after one of the words in `after` if there are any;
 * - `subcommand`: the next words must be one of these; others are aliases, plug-ins or run other programs;
 * - `word`: any further word, because `escapeTable` rejects the options that run programs.
 */
export type Pin =
  | { readonly by: "nothing" }
  | { readonly by: "script"; readonly after?: readonly string[] }
  | { readonly by: "subcommand"; readonly words: readonly string[] }
  | { readonly by: "word" };

export interface LauncherRow {
  readonly names: string;
  readonly pin: Pin;
  readonly reason: string;
}

const NOTHING: Pin = { by: "nothing" };

/**
 * The known launchers, by name without version and `.exe`. An unlisted program counts as a launcher, too, unless
 * `plainPrograms` has it; the rows give the reason and what pins a launcher.
 */
export const launcherTable: readonly LauncherRow[] = [
  {
    names: "sh bash zsh dash ash ksh mksh fish csh tcsh rbash yash posh nu xonsh elvish osh ysh",
    pin: { by: "script" },
    reason: "runs any command with -c",
  },
  {
    names:
      "python pypy node nodejs ruby php perl lua luajit tclsh wish rscript julia guile racket osascript groovy elixir ts-node tsx babel-node runghc ocaml jbang raku crystal dart bb wasmtime wasmer",
    pin: { by: "script" },
    reason: "runs code that it is handed",
  },
  { names: "deno", pin: { by: "script", after: ["run"] }, reason: "runs code that it is handed" },
  { names: "bun", pin: { by: "script", after: ["run", ""] }, reason: "runs code that it is handed" },
  { names: "uv", pin: { by: "script", after: ["run"] }, reason: "runs and installs programs" },
  {
    names: "go",
    pin: { by: "subcommand", words: ["version", "env", "fmt", "doc"] },
    reason: "runs programs",
  },
  {
    names: "git",
    pin: {
      by: "subcommand",
      words: [
        ..."status log diff show branch tag add commit rev-parse rev-list blame ls-files ls-tree describe".split(
          " ",
        ),
        ..."shortlog stash checkout switch restore merge merge-base reset rm mv cherry-pick revert remote".split(
          " ",
        ),
        ..."fetch pull push clone init grep cat-file reflog for-each-ref show-ref show-branch name-rev".split(
          " ",
        ),
        ..."diff-tree diff-index diff-files count-objects cherry range-diff clean apply check-ignore".split(
          " ",
        ),
        ..."symbolic-ref whatchanged worktree version".split(" "),
        ...["submodule status", "bisect log", "config --get", "config --list", "config get", "config list"],
      ],
    },
    reason: "runs programs through -c, aliases and several subcommands",
  },
  {
    names: "gh",
    pin: {
      by: "subcommand",
      words: [
        ..."issue pr repo release run workflow label search status api gist project".split(" "),
        ...["auth status"],
      ],
    },
    reason: "runs programs through aliases and extensions",
  },
  {
    names: "docker podman nerdctl",
    pin: {
      by: "subcommand",
      words: "ps images logs inspect version info stats top port diff history".split(" "),
    },
    reason: "runs programs in containers, which can be given the whole machine",
  },
  {
    names: "kubectl helm",
    pin: {
      by: "subcommand",
      words: "get describe logs version top explain api-resources cluster-info status history".split(" "),
    },
    reason: "runs programs in a cluster and through plug-ins",
  },
  {
    names: "cargo",
    pin: { by: "subcommand", words: ["version", "tree", "metadata", "search", "info"] },
    reason: "runs programs through build scripts, aliases and plug-ins",
  },
  {
    names: "ip",
    pin: { by: "subcommand", words: "addr address link route neigh neighbour rule maddr".split(" ") },
    reason: "runs programs in other networks, and commands of a file",
  },
  { names: "find fd fdfind", pin: { by: "word" }, reason: "runs programs on what it finds" },
  {
    names:
      "env xargs sudo doas su runuser pkexec sg newgrp nohup nice ionice timeout watch setsid stdbuf unbuffer script expect flock taskset chrt numactl prlimit setpriv capsh setarch linux32 linux64 chronic ifne parallel entr watchexec nodemon hyperfine direnv dotenv foreman honcho strace ltrace gdb lldb gdbserver perf valgrind rr ld ld.so nsenter unshare chroot fakeroot proot bwrap firejail systemd-run systemctl launchctl service at batch crontab screen tmux dtach busybox toybox coreutils open xdg-open start cmd powershell pwsh wsl cscript wscript mshta rundll xterm wine runc crun lxc machinectl run-parts start-stop-daemon cpulimit torsocks proxychains ssh-agent dbus-run-session xvfb-run eatmydata faketime time zellij byobu abduco ttyd gotty websocketd fzf sk supervisord supervisorctl pm2 forever concurrently npm-run-all run-s run-p cross-env dotenvx docker-compose buildah lxd incus ctr crictl minikube kind tc logrotate anacron",
    pin: NOTHING,
    reason: "runs the program that follows",
  },
  {
    names:
      ". eval exec command builtin source trap alias export set declare typeset local readonly let enable bind complete compgen fc hash unset read mapfile readarray",
    pin: NOTHING,
    reason: "is part of the shell and changes or runs what comes after it",
  },
  {
    names:
      "ssh scp sftp rsync mosh sshfs nc ncat netcat socat telnet lftp ftp smbclient rclone restic borg mail mailx mutt sendmail",
    pin: NOTHING,
    reason: "runs programs elsewhere or connects them to the network",
  },
  {
    names:
      "npm pnpm yarn npx pnpx bunx corepack lerna nx turbo pip pipx uvx poetry pdm hatch rye conda mamba pixi gem bundle bundler composer cpan cpanm brew apt apt-get dpkg rpm yum dnf apk snap pacman nix",
    pin: NOTHING,
    reason: "runs scripts of packages, and its options choose which",
  },
  {
    names:
      "make gmake bmake cmake ctest ninja meson scons just task rake thor mvn mvnw gradle gradlew ant bazel bazelisk sbt lein mix invoke fab snakemake nextflow terraform tofu terragrunt pulumi ansible ansible-playbook ansible-pull ansible-console ansible-galaxy ansible-inventory ansible-vault ansible-doc ansible-config ansible-test vagrant packer pre-commit act earthly dagger skaffold tilt puppet chef-client salt salt-call doxygen protoc hg jj glab hub",
    pin: NOTHING,
    reason: "runs commands of a file that its options choose",
  },
  {
    names:
      "awk gawk mawk nawk sed gsed m4 dc jshell irb pry ipython jupyter ghci erl iex sbcl clisp emacs octave matlab swipl maxima gnuplot java javac kotlin kotlinc scala swift dotnet pytest tox nox r jrunscript jjs clojure clj nim flutter bpftrace stap dtrace exiftool gs ghostscript ps2pdf conjure gimp blender freecad sqlmap",
    pin: NOTHING,
    reason: "runs code that is among its arguments or beside them",
  },
  {
    names:
      "eslint prettier stylelint webpack vite vitest rollup esbuild parcel tsup babel postcss tailwindcss swc jest mocha ava jasmine karma cypress playwright storybook nyc c8 gulp grunt next nuxt astro ng typedoc knip commitlint lint-staged",
    pin: NOTHING,
    reason: "runs the configuration and the plug-ins that its options or its files lead to",
  },
  {
    names:
      "flask django-admin gunicorn uvicorn hypercorn celery streamlit locust scrapy alembic mypy pylint flake8 coverage behave robot nose2 sphinx-build mkdocs cookiecutter pyinstaller rspec rubocop rails puma cucumber jekyll phpunit phpstan psalm golangci-lint",
    pin: NOTHING,
    reason: "loads the modules and plug-ins that its options or its files lead to",
  },
  {
    names: "gcc g++ cc c++ clang clang++ rustc tcc zig latex pdflatex xelatex lualatex tex",
    pin: NOTHING,
    reason: "runs programs that its options name",
  },
  {
    names:
      "sqlite sqlite3 psql mysql mariadb mongo mongosh duckdb clickhouse clickhouse-client cqlsh sqlcmd sqlplus pgcli mycli litecli",
    pin: NOTHING,
    reason: "runs programs through its own commands",
  },
  {
    names:
      "vim vi nvim view ex ed emacsclient nano pico less more most man info gvim rvim rview vimdiff helix hx kak micro joe code tig lazygit gitui mc ranger nnn lf vifm broot google-chrome chrome chromium chromium-browser firefox electron",
    pin: NOTHING,
    reason: "runs programs from inside",
  },
  { names: "tar bsdtar cpio zip 7z", pin: NOTHING, reason: "runs programs that its options name" },
  { names: "tee dd patch", pin: NOTHING, reason: "writes what it is fed to any file" },
  {
    names: "mount modprobe insmod kmod sysctl ldconfig update-alternatives",
    pin: NOTHING,
    reason: "changes what the system runs",
  },
];
