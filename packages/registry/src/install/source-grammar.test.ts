import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSource } from "./source-grammar.ts";
import { formatSource, type SourceSpec } from "./source-spec.ts";

const github = (path: string, rest: object = {}) => ({
  kind: "git",
  url: `https://github.com/${path}.git`,
  ...rest,
});

const accepted: readonly (readonly [string, object])[] = [
  [".", { kind: "local", path: "." }],
  ["./x", { kind: "local", path: "./x" }],
  ["../x", { kind: "local", path: "../x" }],
  ["/x.zip", { kind: "local", path: "/x.zip" }],
  ["C:\\x", { kind: "local", path: "C:\\x" }],
  ["~/skills", { kind: "local", path: "~/skills" }],
  ["o/r", github("o/r")],
  ["o/r.git", github("o/r")],
  ["github:o/r", github("o/r")],
  ["o/r/sub/path", github("o/r", { path: "sub/path" })],
  ["o/r@pdf", github("o/r", { skill: "pdf" })],
  ["o/r#v1", github("o/r", { ref: "v1" })],
  ["o/r#feature%2Fx@pdf", github("o/r", { ref: "feature/x", skill: "pdf" })],
  ["git:o/r@v2", github("o/r", { ref: "v2" })],
  ["gitlab:g/sub/p", { kind: "git", url: "https://gitlab.com/g/sub/p.git" }],
  ["https://gitlab.com/g/sub/p", { kind: "git", url: "https://gitlab.com/g/sub/p.git" }],
  [
    "https://git.example.org/a/b/c/-/tree/main/skills/x",
    { kind: "git", url: "https://git.example.org/a/b/c.git", refAndPath: "main/skills/x" },
  ],
  ["https://github.com/o/r", github("o/r")],
  ["https://github.com/o/r/tree/feature/x/skills/pdf", github("o/r", { refAndPath: "feature/x/skills/pdf" })],
  ["https://github.com/o/r/blob/main/skills/pdf/SKILL.md", github("o/r", { refAndPath: "main/skills/pdf" })],
  [
    "https://dev.azure.com/org/p/_git/repo?path=/x&version=GBmain",
    { kind: "git", url: "https://dev.azure.com/org/p/_git/repo", ref: "main", path: "x" },
  ],
  ["git@example.org:o/r.git", { kind: "git", url: "ssh://git@example.org/o/r.git" }],
  ["ssh://git@example.org:2222/o/r", { kind: "git", url: "ssh://git@example.org:2222/o/r" }],
  ["https://example.org/x.git#v1", { kind: "git", url: "https://example.org/x.git", ref: "v1" }],
  [
    "git+https://example.org/x.git#v1:a/b",
    { kind: "git", url: "https://example.org/x.git", ref: "v1", path: "a/b" },
  ],
  ["https://raw.githubusercontent.com/o/r/main/SKILL.md", { kind: "download" }],
  ["https://github.com/o/r/archive/refs/heads/main.zip", { kind: "download" }],
  ["https://github.com/o/r/releases/download/v1/x.skill", { kind: "download" }],
  ["https://example.org/docs", { kind: "index", url: "https://example.org/docs" }],
  ["clawhub:@bob/pdf@1.0.0", { kind: "clawhub", owner: "bob", slug: "pdf", version: "1.0.0" }],
  ["@bob/pdf", { kind: "clawhub", owner: "bob", slug: "pdf" }],
  ["skills-sh:o/r/s", { kind: "skills-sh", owner: "o", repo: "r", slug: "s" }],
  ["npm:@a/b@^1.2", { kind: "npm", name: "@a/b", range: "^1.2" }],
  ["oci://ghcr.io/o/r:v1", { kind: "oci", host: "ghcr.io", repository: "o/r", tag: "v1" }],
  [
    `oci://h:5000/r@sha256:${"a".repeat(64)}`,
    { kind: "oci", host: "h:5000", digest: `sha256:${"a".repeat(64)}` },
  ],
  ["marketplace:o/r#docs", { kind: "marketplace", plugin: "docs", source: github("o/r") }],
  [
    "gateway:https://skills.example.org/pdf@3",
    { kind: "gateway", url: "https://skills.example.org", id: "pdf", revision: 3 },
  ],
];

const refused = [
  "",
  "word",
  "--upload-pack=x",
  "ext::sh -c id",
  "file:///etc/passwd",
  "git://example.org/r",
  "ftp://example.org/x",
  "data:text/plain,x",
  "ssh://-oProxyCommand=id/x",
  "https://ann:pw@example.org/r.git",
  "o/r#-x",
  "o/r#a..b",
  "o/r/../../etc",
  "npm:../x",
  "npm:--prefix=x",
  "oci://host",
  "gateway:ftp://x/y",
  "marketplace:npm:x",
  `o/r#${"a".repeat(300)}`,
  "o/r\u202Ex",
  "x".repeat(3000),
];

describe("the grammar of sources", () => {
  test.each(accepted)("reads %s [S-47]", (text, expected) => {
    expect(parseSource(text)).toMatchObject(expected);
  });

  test.each(refused)("refuses %j with a hint [S-47]", (text) => {
    expect(parseSource(text)).toMatchObject({
      problem: expect.stringMatching(/./),
      hint: expect.stringMatching(/./),
    });
  });

  test("takes the host of GitHub Enterprise for shorthands [S-47]", () => {
    expect(parseSource("o/r", { githubHost: "git.acme.example" })).toMatchObject({
      url: "https://git.acme.example/o/r.git",
    });
  });

  test("reads what it writes to the same place [S-47]", () => {
    for (const [text] of accepted) {
      const spec = parseSource(text);
      if (
        "problem" in spec ||
        spec.kind === "local" ||
        ("refAndPath" in spec && spec.refAndPath !== undefined)
      )
        continue;
      const {
        skill: _,
        version: __,
        revision: ___,
        digest: ____,
        ...place
      } = spec as SourceSpec & Record<string, unknown>;
      expect(parseSource(formatSource(spec) ?? "")).toMatchObject(place);
    }
  });

  test("never throws, and gives no option, local protocol or control character to git [S-47]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const spec = parseSource(text);
        if ("problem" in spec || spec.kind !== "git") return;
        expect(spec.url).toMatch(/^(?:https?|ssh):\/\/[^-]/);
        for (const part of [spec.ref, spec.refAndPath]) expect(part ?? "").not.toMatch(/^-|\p{Cc}/u);
      }),
      { numRuns: 2000 },
    );
  });
});
