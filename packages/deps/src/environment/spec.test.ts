import fc from "fast-check";
import { expect, test } from "vitest";
import { npmLockArguments, pipLockArguments, systemCommand } from "./install-command.ts";
import { type InstallSpec, readSpec, wordOf } from "./spec.ts";

test.each([
  ["pip:Pillow", "pip", "Pillow"],
  ["pip:psycopg2-binary==2.9.9", "pip", "psycopg2-binary==2.9.9"],
  ["uv:ruamel.yaml==0.18.6", "pip", "ruamel.yaml==0.18.6"],
  ["npm:marked", "npm", "marked"],
  ["node:@types/node@24.1.0", "npm", "@types/node@24.1.0"],
  ["npm:marked@latest", "npm", "marked"],
  ["npm:a@1.0.0-rc.1+b2", "npm", "a@1.0.0-rc.1+b2"],
  ["go:github.com/junegunn/fzf@v0.50.0", "go", "github.com/junegunn/fzf@v0.50.0"],
  ["go:golang.org/x/tools/cmd/stringer", "go", "golang.org/x/tools/cmd/stringer@latest"],
  ["brew:user/tap/tool", "brew", "user/tap/tool"],
  ["apt:g++", "apt", "g++"],
  ["apt:python3.11=3.11.2-6", "apt", "python3.11=3.11.2-6"],
  ["apk:libstdc++", "apk", "libstdc++"],
  ["jq", "system", "jq"],
  ["system:jq", "system", "jq"],
  ["download:https://example.org/a.tar.gz", "download", "https://example.org/a.tar.gz"],
])("%s is a package [S-36]", (text, manager, word) => {
  const spec = accept(text);
  expect([spec.manager, wordOf(spec)]).toEqual([manager, word]);
  expect(readSpec(spec.text)).toEqual(spec);
});

test.each([
  ...["", "pip:", "npm:", "-x", "pip:-r", "pip:--index-url=x", "npm:--prefix=/", "npm:-g", "apt:-o", "go:-x"],
  ...[
    "pip:a b",
    "pip:a\n",
    "npm:a\0",
    "pip:a ==1",
    " pip:a",
    "pip:a;rm",
    "pip:a>=1",
    "pip:a==1,<2",
    "pip:a[b]",
  ],
  ...["pip:git+https://x/y", "pip:a@https://x/y", "pip:./a", "pip:a/b", "pip:a.whl", "pip:x-1.0.tar.gz"],
  ...[
    "npm:a/b",
    "npm:github:a/b",
    "npm:a@npm:b@1.0.0",
    "npm:a@file:b",
    "npm:a@git+ssh://x",
    "npm:https://x/y",
  ],
  ...[
    "npm:a@^1.0.0",
    "npm:a@>=1",
    "npm:a@1",
    "npm:../a",
    "npm:.a",
    "npm:a.tgz",
    "npm:@a",
    "npm:@-a/b",
    "npm:@a/-b",
  ],
  ...[
    "apt:foo-",
    "apt:foo+",
    "apt:foo*",
    "apt:./x.deb",
    "apt:x.deb",
    "apk:!foo",
    "apk:foo@edge",
    "apk:x.apk",
    "apk:foo-",
  ],
  ...[
    "go:x",
    "go:example.org/../x",
    "go:example.org/x@main",
    "go:./x",
    "brew:a/b",
    "brew:https://x",
    "brew:x.rb",
  ],
  ...[
    "download:http://x",
    "download:file:///etc",
    "cargo:x",
    "https://x/y",
    "a/b",
    "jq;",
    "$(jq)",
    "a".repeat(600),
  ],
])("%j is not a package [S-36]", (text) => {
  expect(readSpec(text)).toBeTypeOf("string");
});

test("an accepted spec is one word that no package manager treats as an option, a path or a URL [S-36]", () => {
  const prefix = fc.constantFrom(
    "pip:",
    "npm:",
    "uv:",
    "node:",
    "go:",
    "brew:",
    "apt:",
    "apk:",
    "system:",
    "",
  );
  const piece = fc.constantFrom(
    ..."a Z 0 - -- . .. / @ = == + ~ : ! * ; $ ( 1.2.3 v1.0.0 latest git https:// x.tgz .whl example.org é".split(
      " ",
    ),
    ..." \t\n\0\u202e".split(""),
  );
  const rest = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
  );
  let accepted = 0;
  fc.assert(
    fc.property(prefix, rest, (before, after) => {
      const spec = readSpec(before + after);
      if (typeof spec === "string") return;
      accepted += 1;
      const word = wordOf(spec);
      expect(word).toMatch(/^[A-Za-z0-9_@~][!-~]*$/);
      expect(word).not.toMatch(/:\/\/|\.\.\/|\/\.\.|[\s;|&$`"'()<>*?\\]/);
      for (const argv of commandsOf(spec)) expect(argv.slice(argv.indexOf("--"))).toEqual(["--", word]);
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(500);
});

function accept(text: string): InstallSpec {
  const spec = readSpec(text);
  if (typeof spec === "string") throw new Error(spec);
  return spec;
}

function commandsOf(spec: InstallSpec): readonly (readonly string[])[] {
  switch (spec.manager) {
    case "pip":
      return [pipLockArguments([spec], "/x")];
    case "npm":
      return [npmLockArguments([spec], "/x")];
    case "go":
    case "brew":
    case "apt":
    case "apk":
      return [systemCommand(spec.manager, spec)];
    case "system":
    case "download":
      return [];
  }
}
