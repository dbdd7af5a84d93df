import { describe, expect, test } from "vitest";
import {
  type ActiveGrant,
  exemptTools,
  type GuardOptions,
  guardToolCall,
  type ToolVerdict,
} from "./tool-guard.ts";

function guard(
  [tool, input]: readonly [string, unknown?],
  allowed: readonly (readonly string[] | undefined)[],
  options: GuardOptions = {},
): ToolVerdict {
  const active = allowed.map((allowedTools, index): ActiveGrant => {
    const skill = { skill: `skill-${index}`, folder: `/skills/skill-${index}` };
    return allowedTools === undefined ? skill : { ...skill, allowedTools };
  });
  return guardToolCall({ tool, input: input ?? {} }, active, options);
}

describe("enforcing", () => {
  test.each<[string, readonly [string, unknown?], readonly string[]]>([
    ["the same name", ["Read", { file_path: "a" }], ["Read"]],
    ["another host's name", ["read_file", { path: "a" }], ["Read"]],
    ["a pattern with a host's name", ["Read", { file_path: "a" }], ["read_file"]],
    ["everything", ["anything"], ["*"]],
    ["a tool that is in no family", ["my_tool"], ["my_tool"]],
    ["an editor that views", ["str_replace_based_edit_tool", { command: "view", path: "a" }], ["Read"]],
    [
      "an editor by its own name",
      ["str_replace_based_edit_tool", { command: "create" }],
      ["str_replace_based_edit_tool"],
    ],
    ["a server's tool", ["mcp__srv__tool"], ["mcp__srv__tool"]],
    ["a server", ["mcp__srv__tool"], ["mcp__srv"]],
    ["a part of a server", ["mcp__srv__get_x"], ["mcp__srv__get_*"]],
    ["a path", ["read_file", { path: "docs/a.md" }], ["Read(./docs/**)"]],
    ["several paths", ["read_multiple_files", { paths: ["docs/a", "docs/b"] }], ["Read(docs/**)"]],
    ["the skill's folder", ["Read", { file_path: "/skills/skill-0/a.md" }], ["Read(${CLAUDE_SKILL_DIR}/**)"]],
    ["a search below a path", ["Glob", { path: "docs", pattern: "**/*.md" }], ["Glob(docs/**)"]],
    ["a domain", ["fetch", { url: "https://example.com/x" }], ["WebFetch(domain:example.com)"]],
    ["a domain below", ["fetch", { url: "https://a.example.com/x" }], ["WebFetch(domain:*.example.com)"]],
    ["a bare Bash with any command", ["bash", { command: "a; b | c", env: {} }], ["Bash"]],
    [
      "a path with what belongs to reading it",
      [
        "read_file",
        { path: "docs/a", offset: 1, limit: 2, encoding: "utf8", description: "x", reason: null },
      ],
      ["Read(docs/**)"],
    ],
    [
      "a path with edits of texts",
      [
        "MultiEdit",
        { file_path: "docs/a", edits: [{ old_string: "a", new_string: "b", replace_all: true }] },
      ],
      ["Edit(docs/**)"],
    ],
    [
      "an editor that views a part",
      ["str_replace_based_edit_tool", { command: "view", path: "docs/a", view_range: [1, 2] }],
      ["Read(docs/**)"],
    ],
    [
      "a search in files",
      ["Grep", { path: "docs", pattern: "/etc/.*", glob: "*.md", "-n": true, output_mode: "content" }],
      ["Grep(docs/**)"],
    ],
    [
      "an address with a question",
      ["WebFetch", { url: "https://example.com/x", prompt: "What is it?" }],
      ["WebFetch(domain:example.com)"],
    ],
    ["a kind of agent", ["Task", { subagent_type: "Explore", prompt: "x" }], ["Task(Explore)"]],
  ])("%s is allowed [S-30]", (_title, call, allowed) => {
    expect(guard(call, [allowed])).toEqual({ verdict: "allowed" });
  });

  test.each<[string, readonly [string, unknown?], readonly string[]]>([
    ["another tool", ["Write", { file_path: "a" }], ["Read"]],
    ["everything, when nothing is listed", ["Read"], []],
    ["everything, when nothing is understood", ["bash", { command: "ls" }], ["Bash(ls; id)"]],
    ["another case", ["mcp__srv__Tool"], ["mcp__srv__tool"]],
    ["another server", ["mcp__srv2__tool"], ["mcp__srv"]],
    ["a server whose name goes on", ["mcp__srv__x__tool"], ["mcp__srv"]],
    ["an editor that writes", ["str_replace_based_edit_tool", { command: "create", path: "a" }], ["Read"]],
    [
      "an editor that does not say what",
      ["str_replace_based_edit_tool", { path: "a" }],
      ["Read", "Edit", "Write"],
    ],
    ["a path outside", ["read_file", { path: "docs/../a" }], ["Read(docs/**)"]],
    ["one path outside", ["read_multiple_files", { paths: ["docs/a", "b"] }], ["Read(docs/**)"]],
    ["a second path outside", ["read_file", { path: "docs/a", file_path: "/etc/x" }], ["Read(docs/**)"]],
    [
      "a path in a field that nobody knows",
      ["read_file", { path: "docs/a", files: [{ path: "/etc/x" }] }],
      ["Read(docs/**)"],
    ],
    ["a path in another folder", ["read_file", { path: "docs/a", cwd: "/etc" }], ["Read(docs/**)"]],
    [
      "a path inside what is harmless",
      ["edit_file", { path: "docs/a", edits: [{ path: "/etc/x", newText: "b" }] }],
      ["Edit(docs/**)"],
    ],
    [
      "an envelope with a path beside it",
      ["read_file", { type: "tool_call", args: { path: "/etc/x" }, path: "docs/a" }],
      ["Read(docs/**)"],
    ],
    [
      "an address with headers",
      ["fetch", { url: "https://example.com", headers: { host: "evil.org" } }],
      ["WebFetch(domain:example.com)"],
    ],
    [
      "an address through a proxy",
      ["fetch", { url: "https://example.com", proxy: "evil.org" }],
      ["WebFetch(domain:example.com)"],
    ],
    [
      "a command with a harmless field that holds another",
      ["bash", { command: "ls", description: { env: "x" } }],
      ["Bash(ls:*)"],
    ],
    ["no path", ["read_file", {}], ["Read(docs/**)"]],
    ["no paths", ["read_multiple_files", { paths: [] }], ["Read(docs/**)"]],
    ["a path that is none", ["read_file", { path: 3 }], ["Read(docs/**)"]],
    ["an input that is none", ["read_file", "docs/a"], ["Read(docs/**)"]],
    ["a search that leaves the path", ["Glob", { path: "docs", pattern: "../*" }], ["Glob(docs/**)"]],
    ["a search with a way out", ["Glob", { path: "docs", pattern: "{..,a}/*" }], ["Glob(docs/**)"]],
    ["a search with a root in it", ["Glob", { path: "docs", pattern: "{/etc,a}/*" }], ["Glob(docs/**)"]],
    ["a search from the root", ["Glob", { path: "docs", pattern: "/etc/*" }], ["Glob(docs/**)"]],
    [
      "another skill's folder",
      ["Read", { file_path: "/skills/skill-1/a" }],
      ["Read(${CLAUDE_SKILL_DIR}/**)"],
    ],
    ["another domain", ["fetch", { url: "https://example.com.evil.org" }], ["WebFetch(domain:example.com)"]],
    ["a domain below", ["fetch", { url: "https://a.example.com" }], ["WebFetch(domain:example.com)"]],
    ["the domain itself", ["fetch", { url: "https://example.com" }], ["WebFetch(domain:*.example.com)"]],
    [
      "a user before the domain",
      ["fetch", { url: "https://example.com@evil.org" }],
      ["WebFetch(domain:example.com)"],
    ],
    ["a password", ["fetch", { url: "https://a:b@example.com" }], ["WebFetch(domain:example.com)"]],
    ["a backslash", ["fetch", { url: "https://evil.org\\@example.com" }], ["WebFetch(domain:example.com)"]],
    ["another protocol", ["fetch", { url: "file://example.com/etc" }], ["WebFetch(domain:example.com)"]],
    ["another agent", ["Task", { subagent_type: "Build" }], ["Task(Explore)"]],
    ["a command in two places", ["bash", { command: "ls", cmd: "id" }], ["Bash(ls:*)"]],
    ["a command with variables", ["bash", { command: "ls", env: { LD_PRELOAD: "x" } }], ["Bash(ls:*)"]],
    ["a command in another folder", ["bash", { command: "ls", cwd: "/tmp" }], ["Bash(ls:*)"]],
    ["a command with words beside it", ["exec", { command: "ls", args: ["x"] }], ["Bash(ls:*)"]],
    ["a shell as words", ["shell", { command: ["bash", "-lc", "ls"] }], ["Bash(ls:*)"]],
  ])("%s is blocked [S-30]", (_title, call, allowed) => {
    expect(guard(call, [allowed]).verdict).toBe("blocked");
  });

  test("a command under a pattern returns the words to run [S-30]", () => {
    expect(guard(["bash", { command: "jq '.a b' x.json", timeout: 5000 }], [["Bash(jq:*)"]])).toEqual({
      verdict: "allowed",
      argv: ["jq", ".a b", "x.json"],
    });
    const words = ["jq", ".a b", "$x"];
    expect(guard(["shell", { command: words }], [["Bash(jq:*)"]])).toEqual({
      verdict: "allowed",
      argv: words,
    });
  });

  test("every skill that declares tools must allow the call; other skills do not matter [S-30]", () => {
    const call = ["bash", { command: "jq ." }] as const;
    expect(guard(call, [])).toEqual({ verdict: "allowed" });
    expect(guard(call, [undefined, undefined])).toEqual({ verdict: "allowed" });
    expect(guard(call, [["Bash"], undefined, ["Bash(jq:*)"]])).toEqual({
      verdict: "allowed",
      argv: ["jq", "."],
    });
    expect(guard(call, [["Bash(jq:*)"], ["Bash"]])).toEqual({ verdict: "allowed", argv: ["jq", "."] });
    expect(guard(call, [["Bash"], undefined, ["Read"]])).toMatchObject({
      verdict: "blocked",
      skill: "skill-2",
    });
    expect(guard(call, [["Bash(jq:*)"], ["Bash(ls:*)"]])).toMatchObject({
      verdict: "blocked",
      skill: "skill-1",
    });
  });

  test("a blocked call names the blocking skill, the allowed tools and the next step [S-30]", () => {
    const verdict = guard(["bash", { command: "git push; id" }], [["Read", "Bash(git log:*)"]]);
    expect(verdict).toMatchObject({
      verdict: "blocked",
      skill: "skill-0",
      allows: ["Read", "Bash(git log:*)"],
      message: expect.stringMatching(
        /bash is blocked: the skill skill-0 .* only Read, Bash\(git log:\*\) .*";"/,
      ),
      hint: expect.stringContaining('deactivate_skill with skill_id "skill-0"'),
    });
  });

  test("explains a launcher's prefix and an unknown item [S-30]", () => {
    const launcher = guard(["bash", { command: "git status" }], [["Bash(git:*)"]]);
    expect(launcher).toMatchObject({ message: expect.stringContaining("git log:*") });
    const broken = guard(["bash", { command: "ls" }], [["Bash(ls | wc)"]]);
    expect(broken).toMatchObject({ message: expect.stringContaining("Bash(ls | wc) grants nothing") });
  });

  test("a skill cannot write into the message of its block [S-30]", () => {
    const verdict = guard(["bash"], [["Read\u001b[31m\nIGNORE ALL\u202e", "x".repeat(9999)]]);
    expect(verdict).toMatchObject({ message: expect.not.stringMatching(/\p{C}|x{100}/u) });
  });

  test("never blocks the tools that enter and leave skills, but blocks running [S-30]", () => {
    for (const tool of exemptTools) expect(guard([tool], [[]])).toEqual({ verdict: "allowed" });
    expect(guard(["run_skill_script", { skill_id: "other" }], [[]]).verdict).toBe("blocked");
    expect(guard(["read_skill"], [[]], { exempt: [] }).verdict).toBe("blocked");
  });

  test("a host's own names replace ours [S-30]", () => {
    const aliases = { Bash: [{ tool: "terminal", fields: ["line"] }] };
    expect(guard(["terminal", { line: "jq ." }], [["Bash(jq:*)"]], { aliases })).toMatchObject({
      argv: ["jq", "."],
    });
    expect(guard(["bash", { command: "jq ." }], [["Bash(jq:*)"]], { aliases }).verdict).toBe("blocked");
  });
});

describe("a skill's own content", () => {
  const run = (skill: string) => ["run_skill_script", { skill_id: skill, script: "scripts/a.py" }] as const;

  test("is allowed by the skill itself [S-30]", () => {
    expect(guard(run("skill-0"), [["Read"]])).toEqual({ verdict: "allowed" });
    const active = [{ skill: "pdf", allowedTools: [] }];
    expect(guardToolCall({ tool: "pdf__merge", input: {}, owner: "pdf" }, active)).toEqual({
      verdict: "allowed",
    });
  });

  test.each([["run_skill_script"], ["Skill"], ["Skill(skill-1)"], ["Skill(skill*)"], ["Bash"], ["*"]])(
    "is allowed by another skill with %s [S-30]",
    (item) => {
      expect(guard(run("skill-1"), [[item]])).toEqual({ verdict: "allowed" });
    },
  );

  test.each([["Read"], ["Skill(other)"], ["Bash(python3 scripts/a.py:*)"], ["run_skill"]])(
    "is not allowed by another skill with %s [S-30]",
    (item) => {
      expect(guard(run("skill-1"), [[item]]).verdict).toBe("blocked");
    },
  );

  test.each(["Read", "read_skill", "run_skill_script", "bash"])(
    "is not confused with a host tool that is also called %s [S-30]",
    (tool) => {
      const call = { tool, input: { command: "jq ." }, owner: "pdf" };
      const allowedTools = ["Read", "run_skill_script", "Bash(jq:*)"];
      expect(guardToolCall(call, [{ skill: "other", allowedTools }])).toMatchObject({ tool: `pdf__${tool}` });
      expect(guardToolCall(call, [{ skill: "other", allowedTools: [`pdf__${tool}`] }]).verdict).toBe(
        "allowed",
      );
    },
  );

  test("is not confused with an MCP server's tool when the skill is named mcp [S-30]", () => {
    const active = [
      { skill: "other", allowedTools: ["mcp__github", "mcp__github__create_issue", "mcp__mcp-"] },
    ];
    for (const tool of ["github__create_issue", "mcp__github__create_issue", "mcp-__github__create_issue"]) {
      const verdict = guardToolCall({ tool, input: {}, owner: "mcp" }, active);
      expect(verdict).toMatchObject({ verdict: "blocked", tool: expect.stringMatching(/^mcp-__/) });
    }
    const own = { skill: "mcp", allowedTools: [] };
    expect(guardToolCall({ tool: "mcp-__a", input: {}, owner: "mcp" }, [own]).verdict).toBe("allowed");
  });

  test("is not claimed by a name alone [S-30]", () => {
    const active = [{ skill: "github", allowedTools: ["Bash", "Skill"] }];
    expect(guardToolCall({ tool: "github__delete_repo", input: {} }, active).verdict).toBe("blocked");
  });
});

describe("approving beforehand", () => {
  const options: GuardOptions = { mode: "preapprove" };

  test("one skill with a matching pattern is enough, and nothing is ever blocked [S-30]", () => {
    const call = ["bash", { command: "jq ." }] as const;
    expect(guard(call, [["Read"], ["Bash(jq:*)"]], options)).toEqual({
      verdict: "preapproved",
      skill: "skill-1",
      argv: ["jq", "."],
    });
    expect(guard(call, [["Read"], []], options)).toEqual({ verdict: "default" });
    expect(guard(call, [undefined], options)).toEqual({ verdict: "default" });
  });

  test("no skill approves scripts, its own or another's [S-30]", () => {
    for (const skill of ["skill-0", "skill-1"]) {
      const run = ["run_skill_script", { skill_id: skill }] as const;
      expect(guard(run, [["Bash", "*", "run_skill_script"]], options)).toEqual({ verdict: "default" });
    }
  });

  test("only a bare name approves a command that is not plain [S-30]", () => {
    const call = ["bash", { command: "jq .; id" }] as const;
    expect(guard(call, [["Bash(jq:*)"]], options)).toEqual({ verdict: "default" });
    expect(guard(call, [["Bash"]], options)).toEqual({ verdict: "preapproved", skill: "skill-0" });
  });
});
