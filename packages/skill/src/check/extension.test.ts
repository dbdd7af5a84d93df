import { describe, expect, test } from "vitest";
import { isToolFile, skillType, synthesizeSkillText } from "../bundle/skill-type.ts";
import { declaredExamples, selectExamples } from "../field/example.ts";
import { readLinks } from "../field/link.ts";
import { type Host, readinessOf, readOpenclaw } from "../field/openclaw.ts";
import { authorVersion, fitsRuntime, isSemver, readRuntime, runtimeSkipLine } from "../field/runtime.ts";
import { parseSkill } from "../parse/parse.ts";
import { estimateTokens } from "../text/token.ts";

const fields = (yaml: string) => parseSkill(`---\n${yaml}\n---\n`).frontmatter;

describe("runtime", () => {
  test.each([
    ["absent", "x: 1", ["*"], false],
    ["null", "runtime:", ["*"], false],
    ["a star", 'runtime: "*"', ["*"], false],
    ["a list with a star", 'runtime: ["*"]', ["*"], false],
    ["a star among others", 'runtime: ["*", x]', ["*"], false],
    ["one name", "runtime: claude-code", ["claude-code"], false],
    ["a list", "runtime: [claude-code, hermes]", ["claude-code", "hermes"], false],
    ["blanks and repeats", 'runtime: [" hermes ", hermes]', ["hermes"], false],
    ["an empty list", "runtime: []", ["*"], false],
    ["a number", "runtime: 123", ["*"], true],
    ["a list of numbers", "runtime: [1]", ["*"], true],
    ["a mapping", "runtime: {a: b}", ["*"], true],
    ["an empty text", 'runtime: ""', ["*"], true],
  ])("normalizes %s [S-7]", (_, yaml, names, isMalformed) => {
    expect(readRuntime(fields(yaml)["runtime"])).toEqual({ names, isMalformed });
  });

  test("a skill fits only its own runtimes, and the log says so [S-7]", () => {
    expect(fitsRuntime(["*"], "any")).toBe(true);
    expect(fitsRuntime(["claude-code", "hermes"], "hermes")).toBe(true);
    expect(fitsRuntime(["claude-code"], "hermes")).toBe(false);
    expect(runtimeSkipLine("bash-helper", ["claude-code"], "hermes")).toBe(
      "Skipping skill bash-helper: runtime=[claude-code] not compatible with current=hermes",
    );
  });
});

describe("requirements", () => {
  const yaml = `metadata:
  openclaw:
    requires: { env: [KEY], bins: [git], anyBins: [rg, grep], config: [app.toml] }
    primaryEnv: KEY
    emoji: "🔍"
    homepage: https://example.com
    os: [macos, linux]
    install: [{ kind: brew, formula: rg }, { type: node, package: x }, nonsense]`;
  const json = `metadata:\n  openclaw: '{ requires: { env: ["KEY"], bins: ["git"], anyBins: ["rg", "grep"], config: ["app.toml"] }, primaryEnv: "KEY", emoji: "🔍", homepage: "https://example.com", os: ["macos", "linux"], install: [{ kind: "brew", formula: "rg" }, { type: "node", package: "x" }], /* JSON5 */ }'`;

  test.each([
    ["YAML", yaml],
    ["clawdbot", yaml.replace("openclaw", "clawdbot")],
    ["clawdis", yaml.replace("openclaw", "clawdis")],
    ["moltbot", yaml.replace("openclaw", "moltbot")],
    ["JSON5", json],
    [
      "one JSON text for all of metadata",
      `metadata: '{"openclaw": {"requires": {"env": ["KEY"], "bins": ["git"], "anyBins": ["rg", "grep"], "config": ["app.toml"]}, "primaryEnv": "KEY", "emoji": "🔍", "homepage": "https://example.com", "os": ["macos", "linux"], "install": [{"kind": "brew"}, {"kind": "node"}]}}'`,
    ],
  ])("are read from %s [S-8]", (_, text) => {
    const found = readOpenclaw(fields(text));
    expect(found).toMatchObject({
      requires: { env: ["KEY"], bins: ["git"], anyBins: ["rg", "grep"], config: ["app.toml"] },
      primaryEnv: "KEY",
      emoji: "🔍",
      homepage: "https://example.com",
      os: ["darwin", "linux"],
      isMalformed: false,
    });
    expect(found.install.map(({ kind }) => kind)).toEqual(["brew", "node"]);
  });

  test.each(['metadata: {openclaw: "{"}', "metadata: {openclaw: [a]}", "metadata: {openclaw: yes}"])(
    "that are unreadable are malformed and require nothing: %s [S-8]",
    (text) => {
      expect(readOpenclaw(fields(text))).toMatchObject({
        isMalformed: true,
        requires: { env: [], bins: [], anyBins: [], config: [] },
      });
    },
  );

  test("JSON5 cannot change a prototype [S-8]", () => {
    readOpenclaw(
      fields(`metadata: '{"__proto__": {"polluted": 1}, "openclaw": {"__proto__": {"emoji": "x"}}}'`),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  const host = (has: { env?: string[]; bins?: string[]; config?: string[]; platform?: string }): Host => ({
    platform: has.platform ?? "linux",
    hasEnv: (name) => has.env?.includes(name) ?? false,
    hasBin: (name) => has.bins?.includes(name) ?? false,
    hasConfig: (path) => has.config?.includes(path) ?? false,
  });

  test.each<[string, Parameters<typeof host>[0], string, number]>([
    ["everything there", { env: ["KEY"], bins: ["git", "grep"], config: ["app.toml"] }, "ready", 0],
    ["no variable", { bins: ["git", "rg"], config: ["app.toml"] }, "needs-config", 1],
    ["no configuration", { env: ["KEY"], bins: ["git", "rg"] }, "needs-config", 1],
    ["one program missing", { env: ["KEY"], bins: ["rg"], config: ["app.toml"] }, "missing-deps", 1],
    ["none of the alternatives", { env: ["KEY"], bins: ["git"], config: ["app.toml"] }, "missing-deps", 1],
    ["nothing at all", {}, "missing-deps", 4],
    [
      "another system",
      { env: ["KEY"], bins: ["git", "rg"], config: ["app.toml"], platform: "win32" },
      "unsupported",
      1,
    ],
  ])("%s gives the readiness with reasons [S-8]", (_, has, state, reasons) => {
    const readiness = readinessOf(readOpenclaw(fields(yaml)), host(has));
    expect(readiness.state).toBe(state);
    expect(readiness.reasons).toHaveLength(reasons);
  });
});

test("the version is unchanged, from version or metadata.version [S-6]", () => {
  const version = (yaml: string) => authorVersion(parseSkill(`---\n${yaml}\n---\n`));
  expect(version("version: 1.10")).toBe("1.10");
  expect(version("version: 1.2.3")).toBe("1.2.3");
  expect(version("metadata:\n  version: 1.10")).toBe("1.10");
  expect(version("version: 2.0.0\nmetadata: {version: 1.0.0}")).toBe("2.0.0");
  expect(version("name: a")).toBeUndefined();
  expect(["1.0.0", "1.0.0-rc.1+b", "0.0.0"].every(isSemver)).toBe(true);
  expect(["1.10", "v1.0.0", "01.0.0", "1.0.0-", ""].some(isSemver)).toBe(false);
});

test("the type of a skill follows from its instructions and tools [S-9]", () => {
  expect(skillType(["SKILL.md", "scripts/a.py", "tools/README.md"], true)).toBe("context");
  expect(skillType(["SKILL.md", "tools/a.py"], true)).toBe("hybrid");
  expect(skillType(["tools/a.mjs"], false)).toBe("tool");
  expect(["tools/_helper.py", "tools/.x.js", "tools/deep/a.py", "tools/a.txt"].some(isToolFile)).toBe(false);
});

test("a folder with only tools gets readable text for any name [S-9]", () => {
  const skill = parseSkill(synthesizeSkillText('odd: "name"\n---', ["tools/add.py", "tools/sub.ts"]));
  expect(skill.findings).toEqual([]);
  expect(skill.frontmatter).toEqual({ name: 'odd: "name"\n---', description: "Tools: add, sub." });
});

test.each([
  ["a list", "- title: A\n  url: https://a.example\n- https://b.example", ["A", "https://b.example"], 0],
  ["a list below links", "links:\n  - {name: A, href: 'https://a.example'}", ["A"], 0],
  ["a mapping", "A: https://a.example\nB: {url: 'http://b.example'}", ["A", "B"], 0],
  ["nothing", "# none yet", [], 0],
  [
    "other schemes",
    "- javascript:alert(1)\n- file:///etc/passwd\n- https://a.example",
    ["https://a.example"],
    1,
  ],
  ["broken YAML", "- [", [], 1],
  ["a text", "hello", [], 1],
])("reads links.yaml with %s [S-10]", (_, text, titles, findings) => {
  const list = readLinks(text);
  expect(list.links.map(({ title }) => title)).toEqual(titles);
  expect(list.findings).toHaveLength(findings);
});

test("chooses examples in order within a budget, and skips one that is too long [S-10]", () => {
  const examples = declaredExamples(fields(`examples: [short, "${"long ".repeat(100)}", tiny, 3]`));
  expect(examples).toHaveLength(3);
  expect(selectExamples(examples, 10)).toEqual({
    examples: [
      { file: undefined, text: "short" },
      { file: undefined, text: "tiny" },
    ],
    left: 1,
  });
  expect(selectExamples(examples, 0).left).toBe(3);
});

test("tokens are a quarter of the characters, and one per character in dense scripts [S-11]", () => {
  expect(estimateTokens("")).toBe(0);
  expect(estimateTokens("a".repeat(400))).toBe(100);
  expect(estimateTokens("技能".repeat(50))).toBe(100);
});
