import { expect, test } from "vitest";
import { brief, scanTable } from "./scan.fixture.ts";

/** Files and the packages they need. */
const manifests: readonly (readonly [about: string, files: Record<string, string>, expected: string])[] = [
  [
    "a plain list",
    { "requirements.txt": "requests\nhttpx==0.27\nrich >= 13, < 14\n" },
    "pip:httpx! pip:requests! pip:rich!",
  ],
  [
    "names that code knows by others",
    { "requirements.txt": "Pillow\nPyWavelets\npymongo\nbeautifulsoup4" },
    "pip:Pillow(PIL)! pip:PyWavelets(pywt)! pip:beautifulsoup4(bs4)! pip:pymongo!",
  ],
  [
    "several modules of a declared distribution",
    { "a.py": "import attr\nimport attrs", "requirements.txt": "attrs" },
    "pip:attrs(attr)! pip:attrs!",
  ],
  ["extras", { "requirements.txt": "httpx[http2,cli]>=0.2\nuvicorn [standard]" }, "pip:httpx! pip:uvicorn!"],
  [
    "markers",
    { "requirements.txt": 'tomli>=2; python_version < "3.11"\npywin32 ; sys_platform == "win32"' },
    "pip:pywin32(win32com)?! pip:tomli?!",
  ],
  ["comments", { "requirements.txt": "# requests\nhttpx # for x\nrich#1\n\n" }, "pip:httpx!"],
  [
    "continued lines and hashes",
    { "requirements.txt": "httpx==1 \\\n  --hash=sha256:abc \\\n  --hash=sha256:def\nrich" },
    "pip:httpx! pip:rich!",
  ],
  [
    "options",
    {
      "requirements.txt":
        "--index-url https://x.test\n-i https://x.test\n-c constraints.txt\n--no-binary :all:\nrich",
    },
    "pip:rich!",
  ],
  [
    "an included file",
    {
      "requirements.txt": "-r requirements/base.txt\n-r requirements/none.txt",
      "requirements/base.txt": "rich",
    },
    "pip:rich!",
  ],
  [
    "URLs, paths and editable ones",
    {
      "requirements.txt": "git+https://x.test/a.git#egg=b\nname @ https://x.test/a.whl\n-e .\n./local\nrich",
    },
    "pip:rich!",
  ],
  [
    "other tools' files",
    { "requirements-dev.txt": "pytest", "dev-requirements.txt": "ruff", "scripts/requirements.txt": "rich" },
    "pip:pytest?! pip:rich! pip:ruff?!",
  ],
  ["CRLF", { "requirements.txt": "requests\r\nrich\r\n" }, "pip:requests! pip:rich!"],
  [
    "injected words",
    { "requirements.txt": "--pre; rm -rf /\nrequests; os.system('x')\n$(x)\nfoo bar" },
    "pip:requests?!",
  ],
  [
    "code and list meet by module",
    { "a.py": "import yaml, PIL", "requirements.txt": "pyyaml\npillow" },
    "pip:Pillow(PIL)! pip:PyYAML(yaml)!",
  ],
  [
    "code takes the distribution that is listed",
    { "a.py": "import cv2", "requirements.txt": "opencv-python-headless" },
    "pip:opencv-python-headless(cv2)!",
  ],
  [
    "code takes a variant that is listed",
    { "a.py": "import barfoo", "requirements.txt": "python-barfoo" },
    "pip:python-barfoo(barfoo)!",
  ],
  [
    "separators are alike",
    { "a.py": "import some_thing", "requirements.txt": "Some.Thing" },
    "pip:some_thing!",
  ],
  [
    "a project",
    {
      "pyproject.toml":
        '[project]\nname = "own"\ndependencies = [\n  "httpx>=1",\n  "rich; os_name == \'nt\'",\n]\n[project.optional-dependencies]\ndev = ["pytest", "own[x]"]\n',
    },
    "pip:httpx! pip:pytest?! pip:rich?!",
  ],
  [
    "Poetry",
    {
      "pyproject.toml":
        '[tool.poetry.dependencies]\npython = "^3.10"\nhttpx = "^1"\nrich = { version = "1", optional = true }\n[tool.poetry.group.dev.dependencies]\npytest = "8"',
    },
    "pip:httpx! pip:pytest?! pip:rich?!",
  ],
  [
    "inline metadata",
    {
      "a.py":
        '#!/usr/bin/env -S uv run\n# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "httpx<1",\n#   "pyyaml",\n# ]\n# ///\nimport yaml\n',
    },
    "pip:PyYAML(yaml)! pip:httpx!",
  ],
  [
    "inline metadata that does not end",
    { "a.py": '# /// script\n# dependencies = ["httpx"]\nimport rich\n' },
    "pip:rich",
  ],
  [
    "a package.json",
    {
      "package.json":
        '{"dependencies":{"marked":"^1","@s/x":"2"},"optionalDependencies":{"fsevents":"1"},"peerDependencies":{"react":"*"},"devDependencies":{"vitest":"1"}}',
    },
    "npm:@s/x! npm:fsevents?! npm:marked! npm:react?!",
  ],
  [
    "a package for development that code asks for",
    { "package.json": '{"devDependencies":{"tsx":"1","vitest":"1"}}', "a.mjs": "import 'tsx'" },
    "npm:tsx!",
  ],
  [
    "folders of a workspace",
    { "package.json": '{"dependencies":{"a":"workspace:*","b":"file:../b","c":"link:c"}}' },
    "",
  ],
  [
    "an alias",
    { "package.json": '{"dependencies":{"old":"npm:new-name@^1"}}', "a.js": "require('old')" },
    "npm:new-name(old)!",
  ],
  [
    "names that are none",
    { "package.json": '{"dependencies":{"-g":"1","a b":"1","__proto__":"1","../x":"1"}}' },
    "",
  ],
  [
    "a package.json that is none",
    { "package.json": "[1]", "b/package.json": "{", "c/package.json": '{"dependencies":[1]}' },
    "",
  ],
  [
    "installed packages",
    {
      "node_modules/x/package.json": '{"dependencies":{"y":"1"}}',
      "venv/lib/a.py": "import z",
      "x/site-packages/a.py": "import z",
    },
    "",
  ],
];

test.each(manifests)("a manifest declares: %s [S-34]", async (_, files, expected) => {
  expect(brief(await scanTable(files), ["pip", "npm", "system"])).toBe(expected);
});

const skill = (yaml: string) => `---\nname: demo-skill\ndescription: A demo.\n${yaml}\n---\nimport nothing\n`;

/** Frontmatter, a script, and the skill's dependencies. */
const declared: readonly (readonly [about: string, yaml: string, code: string, expected: string])[] = [
  [
    "all prefixes",
    "deps: [pip:rich>=1, 'npm:@s/x@^1', npm:marked@2, system:ffmpeg, jq, brew:gh, apt:sox, uv:ruff]",
    "",
    "npm:@s/x! npm:marked! pip:rich! pip:ruff! system:ffmpeg! system:gh! system:jq! system:sox!",
  ],
  [
    "a Go module",
    "deps: ['go:github.com/a/b/cmd/tool@latest', 'go:github.com/a/other/v2']",
    "",
    "system:other! system:tool!",
  ],
  ["a runtime", "deps: [python3, node, uv]", "", "runtime:node! runtime:python3! runtime:uv!"],
  ["a text with commas", "deps: pip:rich, jq", "", "pip:rich! system:jq!"],
  ["under metadata", "metadata:\n  deps: [pip:rich]", "", "pip:rich!"],
  ["merged with the scan", "deps: [pip:rich]", "import httpx, rich", "pip:httpx pip:rich! runtime:python3"],
  ["instead of the scan", "deps: [pip:rich]\ndeps_mode: exclusive", "import httpx, rich", "pip:rich!"],
  ["left out by name", "exclude_deps: [httpx, python3]", "import httpx, rich", "pip:rich"],
  ["left out by module", "exclude_deps: [yaml]", "import yaml, rich", "pip:rich runtime:python3"],
  [
    "left out by kind",
    "exclude_deps: ['pip:Rich', 'npm:httpx']",
    "import httpx, rich",
    "pip:httpx runtime:python3",
  ],
  [
    "a hyphenated distribution",
    "deps: [pip:psycopg2-binary]",
    "import psycopg2",
    "pip:psycopg2-binary(psycopg2)! runtime:python3",
  ],
  [
    "injected words",
    "deps: ['pip:--index-url=x', 'npm:-g', 'pip:a; rm', 'system:$(x)', 'pip:https://x.test/a', 'github:a/b@1', 'a b']",
    "",
    "pip:a?!",
  ],
  ["no list", "deps: {pip: rich}\nexclude_deps: 7", "", ""],
  [
    "dependencies as Claude writes them",
    "dependencies: python>=3.8, pandas>=1.5.0",
    "",
    "pip:pandas! runtime:python3!",
  ],
  [
    "dependencies by manager",
    "dependencies:\n  pip: [rich]\n  npm: [marked]\n  system: [jq]",
    "",
    "npm:marked! pip:rich! system:jq!",
  ],
  [
    "dependencies of which half are known",
    "dependencies: [torch, deepspeed-x, transformers, other]",
    "",
    "pip:deepspeed-x(deepspeed_x)! pip:other! pip:torch! pip:transformers!",
  ],
  [
    "dependencies that may be other skills",
    "dependencies: [other-skill, requests, '@s/x', pdf]",
    "",
    "npm:@s/x! pip:requests!",
  ],
  [
    "programs that must be there",
    "metadata:\n  openclaw:\n    requires: {bins: [ffmpeg, python3]}",
    "",
    "runtime:python3! system:ffmpeg!",
  ],
  [
    "programs of which one is enough",
    "metadata:\n  openclaw:\n    requires: {anyBins: [rg, ag]}",
    "",
    "system:ag?! system:rg?!",
  ],
  [
    "install steps with programs",
    "metadata:\n  openclaw:\n    install:\n    - {kind: brew, formula: a/b/imgtool, bins: [img]}\n    - {kind: node, package: '@s/img', bins: [img]}",
    "",
    "npm:@s/img?! system:img!",
  ],
  [
    "install steps without",
    "metadata:\n  openclaw:\n    install:\n    - {kind: uv, package: ruff}\n    - {kind: go, module: 'github.com/a/tool@latest'}\n    - {kind: brew, formula: gh}\n    - {kind: download, url: 'https://x.test'}",
    "",
    "pip:ruff! system:gh! system:tool!",
  ],
  ["prose below the frontmatter", "license: MIT", "", ""],
];

test.each(declared)("frontmatter declares: %s [S-34]", async (_, yaml, code, expected) => {
  const manifest = await scanTable({
    "SKILL.md": skill(yaml),
    ...(code === "" ? {} : { "scripts/a.py": code }),
  });
  expect(brief(manifest, ["npm", "pip", "runtime", "system"])).toBe(expected);
});

test("a declared dependency has the line that names it [S-34]", async () => {
  const manifest = await scanTable({
    "SKILL.md": skill("deps:\n  - pip:rich>=1"),
    "package.json": '{\n  "dependencies": {\n    "marked": "1"\n  }\n}',
    "requirements.txt": "# x\nhttpx\n",
  });
  expect(manifest.dependencies.map(({ name, seen }) => [name, seen])).toEqual([
    ["marked", [{ file: "package.json", line: 3 }]],
    ["httpx", [{ file: "requirements.txt", line: 2 }]],
    ["rich", [{ file: "SKILL.md", line: 5 }]],
  ]);
});

test("an entry that is not in an index becomes a note [S-34]", async () => {
  const { notes } = await scanTable({
    "requirements.txt": "-e .\n-r none.txt\n",
    "package.json": '{"dependencies":{"a":"github:x/a"}}',
    "SKILL.md": skill("deps: ['github:a/b@1']"),
  });
  expect(notes.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    'SKILL.md: "github:a/b@1" is not a dependency',
    'package.json: dependency is not a registry package: "a: github:x/a"',
    'requirements.txt: includes "none.txt", which is not in the bundle',
    'requirements.txt: line 1 is not a package in an index: "-e ."',
  ]);
});

test("a finding in package.json has the line of its entry, not of another mention [S-34]", async () => {
  const text = `{
  "name": "demo",
  "keywords": ["marked", "zod"],
  "scripts": { "build": "marked README.md" },
  "devDependencies": { "zod": "4.0.0" },
  "dependencies": {
    "marked": "15.0.0"
  },
  "peerDependencies": { "zod": "4.0.0" }
}
`;
  const { dependencies } = await scanTable({ "package.json": text });
  expect(dependencies.map(({ name, seen }) => [name, seen[0]?.line])).toEqual([
    ["marked", 7],
    ["zod", 9],
  ]);
});
