import { expect, test } from "vitest";
import { brief, scanTable } from "./scan.fixture.ts";

/** A script and the programs it needs. */
const scripts: readonly (readonly [about: string, code: string, expected: string])[] = [
  ["a command", "jq . file", "system:jq"],
  [
    "builtins and basics",
    "cd x && echo y | grep z | sed s/a/b/ | sort -u > out; set -e; export A=1; [ -f x ] && [[ a == b ]]",
    "",
  ],
  ["a pipeline", "curl -s x | jq .a | tee out", "system:curl system:jq"],
  [
    "a list",
    "git pull && ffmpeg -i a || convert a b; wget x",
    "system:convert system:ffmpeg system:git system:wget",
  ],
  ["a substitution", 'a=$(curl x); b=`wget y`; echo "$(jq . z)"', "system:curl system:jq system:wget"],
  ["a process substitution", "diff <(jq . a) <(yq . b)", "system:jq system:yq"],
  ["a subshell and a group", "( cd x; git status ) && { jq . a; }", "system:git system:jq"],
  [
    "conditions and loops",
    "if git diff; then for a in 1 2; do jq $a; done; fi\nwhile read l; do curl $l; done",
    "system:curl system:git system:jq",
  ],
  ["a case", "case $1 in\n  git) jq . ;;\n  *) curl x ;;\nesac", "system:curl system:jq"],
  ["an assignment before it", "A=1 B=2 ffmpeg -i x", "system:ffmpeg"],
  ["a redirection before it", "> out 2>&1 ffmpeg -i x", "system:ffmpeg"],
  ["in the background", "ffmpeg -i x &\nwait", "system:ffmpeg"],
  ["continued on the next line", "ffmpeg \\\n  -i jq", "system:ffmpeg"],
  ["a function", "build() { git pull; }\nfunction other { :; }\nbuild; other", "system:git"],
  ["an alias", "alias ll='ls -l'\nll", ""],
  ["a path", "./run.sh; /usr/bin/jq; ../x/y; ~/bin/z", ""],
  ["a variable", '$CMD x; "$TOOL" y; ${A}b; $(pick) z', "system:pick"],
  ["a here-document", "cat <<EOF\njq . a\ncurl b\nEOF", ""],
  ["a quoted here-document", "cat <<'EOF' > out\n$(jq . a)\nEOF", ""],
  ["a substitution inside a here-document", "cat <<EOF\n$(jq . a)\nEOF", "system:jq"],
  ["a here-string", "jq . <<< 'curl x'", "system:jq"],
  ["a comment", "# curl x\necho a # jq", ""],
  ["a string", "echo 'curl x' \"jq y\"", ""],
  ["an argument", "echo curl jq ffmpeg", ""],
  ["through sudo", "sudo -u root ffmpeg x", "system:ffmpeg"],
  ["through env", "env -u A B=1 ffmpeg x", "system:ffmpeg"],
  ["through xargs", "find . | xargs -n 1 -P4 -I {} ffmpeg -i {}", "system:ffmpeg"],
  ["through xargs, written together", "ls | xargs -I{} ffmpeg -i {}", "system:ffmpeg"],
  [
    "through find",
    "find . -name '*.x' -exec ffmpeg -i {} \\;\nfind . -execdir jq . {} +\nfind . -name curl",
    "system:ffmpeg system:jq",
  ],
  [
    "through time, nice and timeout",
    "time ffmpeg a; nice -n 10 convert b; timeout -k 5 10s curl c",
    "system:convert system:curl system:ffmpeg",
  ],
  ["through several", "sudo env A=1 nohup ffmpeg x", "system:ffmpeg"],
  ["through exec and command", "exec ffmpeg x; command curl y", "system:curl system:ffmpeg"],
  ["asked for with command -v", "if command -v jq >/dev/null 2>&1; then jq . a; fi", "system:jq?"],
  [
    "asked for with which, type and hash",
    "which a1 && a1; type -p a2 && a2; hash a3 2>/dev/null && a3",
    "system:a1? system:a2? system:a3?",
  ],
  ["asked for and never named again", "T=$(command -v rg || command -v ag)", "system:ag? system:rg?"],
  ["a backslash before it", "\\git status", "system:git"],
  ["quotes around it", "'git' status; \"jq\" .", "system:git system:jq"],
  ["runtimes are no programs", "python3 a.py; node b.js; perl -e 1; uvx x; npx y", ""],
  ["a module that Python runs", "python3 -m pytest -q; python -m json.tool; python3 -m venv x", "pip:pytest"],
  ["a module of the bundle that Python runs", "python3 -m scripts.run", ""],
  ["installs", "pip install requests; python3 -m pip install -q httpx; npm install -g marked", ""],
  ["names that no program has", "%%% ; 123 ; -x ; é", ""],
  ["functions from elsewhere", ". /lib/functions\nlog_success_msg hi\njq .", "system:jq"],
  ["commands of one system", "brew list; apt-get update; open x; pbcopy", "system:brew"],
  ["a script of the bundle on the path", "run.py x; other y", "system:other"],
  ["a broken script", "jq . a\nif [ x; then\n", "system:jq"],
];

test.each(scripts)("shell: %s [S-34]", async (_, code, expected) => {
  const manifest = await scanTable({ "scripts/a.sh": code, "scripts/run.py": "" });
  expect(brief(manifest, ["pip", "npm", "system"])).toBe(expected);
});

test("a runtime that a script calls is a dependency [S-34]", async () => {
  const manifest = await scanTable({
    "a.sh": "python3.12 x.py\npip3 --version\nnpx y\ncommand -v deno && deno run z",
  });
  expect(brief(manifest, ["runtime"])).toBe(
    "runtime:bash runtime:deno? runtime:npm runtime:pip3 runtime:python3",
  );
});

test("functions of one script are known to the others [S-34]", async () => {
  const manifest = await scanTable({ "a.sh": "source ./lib.sh\nbuild", "lib.sh": "build() { git pull; }" });
  expect(brief(manifest, ["system"])).toBe("system:git");
});

test("a program of a declared package counts as that package [S-34]", async () => {
  const manifest = await scanTable({
    "a.sh": "ruff check\nmarked x",
    "requirements.txt": "ruff",
    "package.json": '{"dependencies":{"marked":"1"}}',
  });
  expect(brief(manifest, ["pip", "npm", "system"])).toBe("npm:marked! pip:ruff!");
});

test("a script with the name of a program is not that program [S-34]", async () => {
  const manifest = await scanTable({
    "scripts/ffmpeg.sh": "ffmpeg -i x\ndocker ps\nown-tool y",
    "scripts/docker/index.js": "",
    "bin/own-tool": "#!/bin/sh\n",
  });
  expect(brief(manifest, ["system"])).toBe("system:docker system:ffmpeg");
});

test("a program and a module of one distribution are one dependency, under the module's name [S-34]", async () => {
  const manifest = await scanTable({
    "a.sh": "yt-dlp x",
    "b.py": "import yt_dlp",
    "requirements.txt": "yt-dlp",
  });
  expect(brief(manifest, ["pip", "system"])).toBe("pip:yt-dlp(yt_dlp)!");
});

test("an install command in a script becomes a note [S-34]", async () => {
  const { notes } = await scanTable({
    "a.sh": "set -e\npip install -q requests 'httpx>=1' \"$X\"\nnpm i -g marked",
  });
  expect(notes).toEqual([
    { file: "a.sh", message: "line 2 installs requests, httpx>=1" },
    { file: "a.sh", message: "line 3 installs marked" },
  ]);
});
