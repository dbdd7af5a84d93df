import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAllowedTools, parseToolPattern, type ToolPattern } from "./tool-pattern.ts";

test.each<[string, ToolPattern]>([
  ["*", { kind: "any" }],
  ["Read", { kind: "tool", tool: "Read" }],
  ["Bash(*)", { kind: "tool", tool: "Bash" }],
  ["Bash(:*)", { kind: "tool", tool: "Bash" }],
  ["Read(**)", { kind: "tool", tool: "Read" }],
  ["AskUserQuestion(*)", { kind: "tool", tool: "AskUserQuestion" }],
  ["Bash(git log:*)", { kind: "command", tool: "Bash", words: ["git", "log"], isPrefix: true }],
  ["Bash(git log *)", { kind: "command", tool: "Bash", words: ["git", "log"], isPrefix: true }],
  ["Bash(hunt.sh*)", { kind: "command", tool: "Bash", words: ["hunt.sh"], isPrefix: true }],
  [
    "Bash(npm run test:unit)",
    { kind: "command", tool: "Bash", words: ["npm", "run", "test:unit"], isPrefix: false },
  ],
  ["Bash(jq '.a | .b')", { kind: "command", tool: "Bash", words: ["jq", ".a | .b"], isPrefix: false }],
  [
    "Bash(python3 ${CLAUDE_SKILL_DIR}/scripts/a.py:*)",
    { kind: "command", tool: "Bash", words: ["python3", "${CLAUDE_SKILL_DIR}/scripts/a.py"], isPrefix: true },
  ],
  [
    'Bash("{baseDir}"/a.sh x)',
    { kind: "command", tool: "Bash", words: ["{baseDir}/a.sh", "x"], isPrefix: false },
  ],
  ["shell(git log:*)", { kind: "command", tool: "shell", words: ["git", "log"], isPrefix: true }],
  ["mcp__srv__tool", { kind: "tool", tool: "mcp__srv__tool" }],
  ["mcp__srv__tool(*)", { kind: "tool", tool: "mcp__srv__tool" }],
  ["mcp__my-srv", { kind: "mcp", prefix: "mcp__my-srv__" }],
  ["mcp__srv__*", { kind: "mcp", prefix: "mcp__srv__" }],
  ["mcp__srv__get_*", { kind: "mcp", prefix: "mcp__srv__get_" }],
  ["Read(./docs/**)", { kind: "path", tool: "Read", path: "./docs/**" }],
  ["Write(//tmp/*.md)", { kind: "path", tool: "Write", path: "//tmp/*.md" }],
  [
    "WebFetch(domain:Example.com)",
    { kind: "domain", tool: "WebFetch", domain: "example.com", isBelow: false },
  ],
  [
    "WebFetch(domain:*.example.com)",
    { kind: "domain", tool: "WebFetch", domain: "example.com", isBelow: true },
  ],
  ["Skill(pdf)", { kind: "word", tool: "Skill", word: "pdf", isPrefix: false }],
  ["Skill(tools:*)", { kind: "word", tool: "Skill", word: "tools", isPrefix: true }],
])("parses %s [S-30]", (text, pattern) => {
  expect(parseToolPattern(text)).toEqual(pattern);
});

test.each([
  "",
  "Bash()",
  "Bash(",
  "Bash)",
  "Bash(a)(b)x",
  "Bash(git log:*)Read",
  "(git log:*)",
  "Ba sh",
  "Bash*",
  "**",
  "Read;Write",
  "Read，Write",
  "- Read",
  "Bash(git * main)",
  "Bash(a; b)",
  "Bash(a | b:*)",
  "Bash(git add:*, git rm:*)",
  "Bash(A=1 npm test:*)",
  "Bash('jq:*)",
  "Bash($HOME/x:*)",
  "Bash(${CLAUDE_PLUGIN_ROOT}/x.sh:*)",
  "Bash(if:*)",
  "Bash(~/x.sh:*)",
  "Exec(git, cat)",
  "constructor(x)",
  "TodoWrite(x)",
  "mcp__",
  "mcp__*",
  "mcp__srv__",
  "mcp__srv__a*b",
  "mcp__srv__tool(x)",
  "Read(../x)",
  "Read(docs/../../x)",
  "Read(~/x)",
  "Read(a[bc])",
  "WebFetch(example.com)",
  "WebFetch(domain:)",
  "WebFetch(domain:*)",
  "WebFetch(domain:exa mple.com)",
  "Skill(a b)",
  `Bash(${"x".repeat(3000)}:*)`,
])("%j grants nothing and gives the reason [S-30]", (text) => {
  expect(parseToolPattern(text)).toEqual({ problem: expect.stringMatching(/./) });
});

test("reports unknown items beside the parsed ones [S-30]", () => {
  const { patterns, problems } = parseAllowedTools(["Read", "Bash(a;b)"]);
  expect(patterns).toEqual([{ kind: "tool", tool: "Read" }]);
  expect(problems).toEqual([{ item: "Bash(a;b)", problem: expect.stringContaining('";"') }]);
});

test("reads any text without throwing [S-30]", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((inner) => `Bash(${inner})`),
    fc.string().map((inner) => `Read(${inner})`),
  );
  fc.assert(
    fc.property(text, (value) => {
      const pattern = parseToolPattern(value);
      expect("problem" in pattern || "kind" in pattern).toBe(true);
    }),
  );
});
