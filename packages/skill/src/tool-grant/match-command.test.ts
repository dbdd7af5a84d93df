import { describe, expect, test } from "vitest";
import { readCommandLine } from "./command-line.ts";
import { launcherTable } from "./launcher-table.ts";
import { findPinProblem, matchCommand } from "./match-command.ts";
import { plainPrograms } from "./plain-program-table.ts";
import { parseToolPattern } from "./tool-pattern.ts";

/** Launchers with a pin, whose escape options are rejected. */
const ESCAPING = ["find", "fd", "fdfind", "git", "docker", "podman", "nerdctl", "kubectl", "helm"];

function isAllowed(specifier: string, line: string, folder?: string): boolean {
  const pattern = parseToolPattern(`Bash(${specifier})`);
  if ("problem" in pattern || pattern.kind !== "command") throw new Error(`${specifier} is no command`);
  const { argv } = readCommandLine(line);
  return argv !== undefined && matchCommand(argv, pattern, { folder }).isMatch;
}

describe("words", () => {
  test.each([
    ["git log:*", "git log"],
    ["git log:*", "git log -n 3"],
    ["git log *", "git 'log' x"],
    ["git status", "git  status"],
    ["npm run build", "npm run build"],
    ["bash -c 'a b'", "bash -c 'a b'"],
    ["./x.sh:*", "./x.sh a"],
    [".claude/x.sh:*", ".claude/x.sh"],
  ])("%s allows %s [S-30]", (pattern, line) => {
    expect(isAllowed(pattern, line)).toBe(true);
  });

  test.each([
    ["git log:*", "git logx"],
    ["git log:*", "git"],
    ["git log:*", "git -p log"],
    ["git status", "git status x"],
    ["ls*", "lsof"],
    ["x.sh:*", "./x.sh"],
    ["./x.sh:*", "x.sh"],
    ["./x.sh:*", "/tmp/x.sh"],
    ["jq:*", "/usr/bin/jq ."],
  ])("%s does not allow %s [S-30]", (pattern, line) => {
    expect(isAllowed(pattern, line)).toBe(false);
  });
});

describe("the skill's folder", () => {
  const pattern = "python3 ${CLAUDE_SKILL_DIR}/scripts/a.py:*";

  test("replaces a placeholder, even with a space in the path [S-30]", () => {
    expect(isAllowed(pattern, "python3 /skills/pdf/scripts/a.py x", "/skills/pdf")).toBe(true);
    expect(isAllowed(pattern, "python3 '/my skills/pdf/scripts/a.py' x", "/my skills/pdf/")).toBe(true);
    expect(isAllowed("{baseDir}/scripts/check.sh:*", "/skills/pdf/scripts/check.sh", "/skills/pdf")).toBe(
      true,
    );
  });

  test("matches no other folder and is never expanded in a command [S-30]", () => {
    expect(isAllowed(pattern, "python3 /tmp/scripts/a.py", "/skills/pdf")).toBe(false);
    expect(isAllowed(pattern, "python3 /skills/pdf/../x/scripts/a.py", "/skills/pdf")).toBe(false);
    expect(isAllowed(pattern, "python3 ${CLAUDE_SKILL_DIR}/scripts/a.py", "/skills/pdf")).toBe(false);
    expect(isAllowed(pattern, "python3 /scripts/a.py")).toBe(false);
    expect(isAllowed(pattern, "python3 /scripts/a.py", "")).toBe(false);
  });
});

describe("launchers", () => {
  const names = launcherTable.flatMap((row) => row.names.split(" "));

  test("none of them alone is a limit, in any case, version or folder [S-30]", () => {
    const forms = names.flatMap((name) => [name, name.toUpperCase(), `/usr/bin/${name}`, `${name}.exe`]);
    expect(forms.filter((name) => findPinProblem([name]) === undefined)).toEqual([]);
  });

  test("lists none twice [S-30]", () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each([
    ..."python3 -c|python3 -m|python3 -m http.server|python3 -u a.py|python3 -|python3 /dev/stdin|python3.12".split(
      "|",
    ),
    ..."bash -c|bash -lc|sh -s|node -e|node --require ./x.js|node inspect a.js|perl -e|ruby -e|php -r".split(
      "|",
    ),
    ..."env python3|env -S a|sudo jq|xargs jq|timeout 5 jq|nice jq|find|npx|npx prettier|npm|npm run lint".split(
      "|",
    ),
    ..."npm test|make|make build|git|git -c|git -C x log|git --exec-path=x log|git config|git bisect run".split(
      "|",
    ),
    ..."git submodule foreach|git rebase|git difftool|git filter-branch|git myalias|git Log|docker run".split(
      "|",
    ),
    ..."docker exec|kubectl exec|kubectl run|cargo run|cargo build|go run|go test|go generate|uv|uv run".split(
      "|",
    ),
    ..."uv run python|uvx ruff|deno|deno run|deno eval|deno run https://x.y/a.ts|bun|bun x|bun lint|ssh host".split(
      "|",
    ),
    ..."awk|awk -f a.awk|sed -n|sed s/a/b/|tar -xf|sqlite3 a.db|psql -c|gcc a.c|vim a.txt|less a.txt|tee a".split(
      "|",
    ),
    ..."nc host|php artisan|rake x|mvn test|./gradlew test|terraform plan|ansible all|powershell a.ps1|pwsh a.ps1".split(
      "|",
    ),
    ..."gh|gh extension|gh alias|gh codespace|lua5.4|gcc-13|ld-linux-x86-64.so.2 ./x|python2.7|PYTHON3|pip3 list".split(
      "|",
    ),
    ..."ip|ip netns exec x|ip -batch|ip vrf|eslint|eslint src|prettier --plugin|webpack|vite build|jest|rollup -c".split(
      "|",
    ),
    ..."mocha -r|pytest -p|flask run|gunicorn x:y|ansible-galaxy|gs -q|exiftool -if|fzf|hg log|protoc|mypy|rspec".split(
      "|",
    ),
    ..."xonsh -c|R -e|docker-compose up|blender -b|rclone ls|golangci-lint run|patch -p1|tc exec|conjure".split(
      "|",
    ),
  ])("rejects %s:* [S-30]", (text) => {
    expect(findPinProblem(text.split(" "))).toMatch(/is no limit/);
  });

  test.each([
    ..."python3 scripts/a.py|python3 a.py|python3.12 ./a.py|bash scripts/x.sh|node dist/index.js|ruby bin/x.rb".split(
      "|",
    ),
    ..."deno run scripts/a.ts|bun scripts/a.ts|bun run a.ts|uv run scripts/a.py|git log|git status|git diff".split(
      "|",
    ),
    ..."git submodule status|git config --get|gh pr view|gh issue|docker ps|kubectl get|cargo tree|find docs".split(
      "|",
    ),
    ..."ip addr|ip route show|ruff check|black|gpg --verify|openssl x509|yq|soffice --headless|tsc --noEmit".split(
      "|",
    ),
    ..."find . -name|jq|ls|cat|mkdir|cp|grep|rg|wc|convert|ffmpeg|pdftotext|scripts/run.sh|curl".split("|"),
  ])("accepts %s:* as a limit [S-30]", (text) => {
    expect(findPinProblem(text.split(" "))).toBeUndefined();
  });

  test("a program that may start other programs is not a limit [S-30]", () => {
    for (const name of ["mytool", "frobnicate", "unheard-of", "dpkg-reconfigure", "checkinstall"])
      expect(findPinProblem([name, "x"])).toMatch(/is no limit/);
    expect(names.filter((name) => plainPrograms.has(name) && !ESCAPING.includes(name))).toEqual([]);
  });

  test("a prefix that is not a limit can be requested by program and subcommand [S-30]", () => {
    const prefixOf = (specifier: string, line: string) => {
      const pattern = parseToolPattern(`Bash(${specifier})`);
      const { argv } = readCommandLine(line);
      if ("problem" in pattern || pattern.kind !== "command" || argv === undefined) return undefined;
      const match = matchCommand(argv, pattern);
      return match.isMatch ? undefined : match.prefix;
    };
    expect(prefixOf("git:*", "git push origin main")).toEqual(["git", "push"]);
    expect(prefixOf("git:*", "git")).toEqual(["git"]);
    expect(prefixOf("git:*", "git -c a=b status")).toEqual(["git", "-c", "a=b", "status"]);
    expect(prefixOf("git:*", "git push --receive-pack=x")).toEqual(["git", "push", "--receive-pack=x"]);
    expect(prefixOf("git:*", "ls")).toBeUndefined();
    expect(prefixOf("git log:*", "git log --output=x")).toBeUndefined();
  });

  test("a launcher can be granted as a whole command [S-30]", () => {
    expect(isAllowed("npm run lint", "npm run lint")).toBe(true);
    expect(isAllowed("npm run lint", "npm run lint --prefix /tmp/x")).toBe(false);
    expect(isAllowed("python3 -c 'print(1)'", "python3 -c 'print(1)'")).toBe(true);
  });

  test("rejects an option before the script [S-30]", () => {
    expect(isAllowed("python3 scripts/a.py:*", "python3 scripts/a.py -c x")).toBe(true);
    expect(isAllowed("python3 scripts/a.py:*", "python3 -c x scripts/a.py")).toBe(false);
  });
});

describe("arguments that make a granted program do something else", () => {
  test.each([
    ["git log:*", "git log --output=x"],
    ["git log:*", "git log -p --outpu x"],
    ["git diff:*", "git diff --ext-diff"],
    ["git fetch:*", "git fetch --upload-pack=x origin"],
    ["git push:*", "git push --receive-pack=x"],
    ["git clone:*", "git clone -c core.sshCommand=x y"],
    ["git clone:*", "git clone --template=x y"],
    ["git grep:*", "git grep -Ox pattern"],
    ["gh repo:*", "gh repo clone a/b -- -c x=y"],
    ["find docs:*", "find docs -exec id +"],
    ["find docs:*", "find docs -name x -delete"],
    ["find docs:*", "find docs -fprintf x y"],
    ["fd x:*", "fd x -X id"],
    ["sort:*", "sort --compress-program=x a"],
    ["sort:*", "sort -uo x a"],
    ["rg:*", "rg --pre=x y"],
    ["curl:*", "curl -sSo x https://a.b"],
    ["curl:*", "curl --output x https://a.b"],
    ["curl:*", "curl -K x"],
    ["wget:*", "wget --use-askpass=x y"],
    ["pandoc:*", "pandoc --lua-filter=x a.md"],
    ["pandoc:*", "pandoc -t evil.lua a.md"],
    ["pandoc:*", "pandoc --to=./Evil.LUA a.md"],
    ["openssl x509:*", "openssl x509 -engine ./x.so"],
    ["openssl x509:*", "openssl x509 --engine ./x.so"],
    ["gpg --verify:*", "gpg --verify --agent-program=x a"],
    ["gpg --verify:*", "gpg --verify --agent-prog x a"],
    ["convert:*", "convert 'msl:a.txt' out.png"],
    ["convert:*", "convert 'MSL:a.txt' out.png"],
    ["convert:*", "convert '|id' out.png"],
    ["convert:*", "convert 'png:|id' out.png"],
    ["magick:*", "magick -script a"],
    ["convert:*", "convert @list out.png"],
    ["convert:*", "convert 'label:@/etc/passwd' out.png"],
    ["ffmpeg:*", "ffmpeg -i a.wav -af ladspa=file=/tmp/x.so b.wav"],
    ["ffmpeg:*", "ffmpeg -dump_attachment:t x -i a.mkv"],
    ["ffmpeg:*", "ffmpeg -/filter_complex a -i b c"],
    ["soffice --headless:*", "soffice --headless 'macro:///Standard.Module1.Main'"],
    ["soffice --headless:*", "soffice --headless -env:UserInstallation=file:///tmp/x a.odt"],
    ["yt-dlp:*", "yt-dlp --exec id https://a.b"],
    ["aria2c:*", "aria2c --on-download-complete=x https://a.b"],
    ["svn log:*", "svn log --config-option=config:helpers:diff-cmd=x"],
    ["bat:*", "bat --pager=x a"],
    ["iptables:*", "iptables --modprobe=/tmp/x -L"],
    ["tshark:*", "tshark -X lua_script:x.lua"],
    ["yq:*", "yq --security-enable-system-operator a"],
    ["tsc:*", "tsc --outDir /tmp/x"],
    ["split:*", "split --filter=id a"],
    ["test:*", "test -v 'a[$(id)]'"],
    ["printf:*", "printf -v 'a[$(id)]' x"],
    ["/usr/bin/sort:*", "/usr/bin/sort -o x a"],
  ])("%s does not allow %s [S-30]", (pattern, line) => {
    expect(isAllowed(pattern, line)).toBe(false);
  });

  test.each([
    ["git log:*", "git log --oneline -n 5 --stat"],
    ["git diff:*", "git diff --cached --color --name-only"],
    ["git commit:*", "git commit -m 'a message'"],
    ["git branch:*", "git branch --contains x"],
    ["find docs:*", "find docs -name '*.md' -type f"],
    ["convert:*", "convert in.png -resize '50%' -annotate +1+1 'a@b.c' out.png"],
    ["ffmpeg:*", "ffmpeg -i a.mp4 -vf scale=1:2 -preset fast -c:v libx264 b.mp4"],
    ["soffice --headless:*", "soffice --headless --convert-to pdf a.docx"],
    ["pandoc:*", "pandoc -t html a.md"],
    ["ip addr:*", "ip addr show"],
    ["yq:*", "yq .a.b x.yaml"],
    ["curl:*", "curl -fsSL https://a.b"],
    ["sort:*", "sort -u -k 2 a"],
    ["sort -o out.txt:*", "sort -o out.txt a"],
  ])("%s allows %s [S-30]", (pattern, line) => {
    expect(isAllowed(pattern, line)).toBe(true);
  });
});
