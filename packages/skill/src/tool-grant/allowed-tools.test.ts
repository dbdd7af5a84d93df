import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitAllowedTools } from "./allowed-tools.ts";
import { parseAllowedTools } from "./tool-pattern.ts";

describe("the forms in the wild", () => {
  const same = ["Read", "Bash(git log:*)", "mcp__srv__tool"];

  test.each<[string, string | readonly string[]]>([
    ["blanks", "Read Bash(git log:*) mcp__srv__tool"],
    ["commas", "Read,Bash(git log:*),mcp__srv__tool"],
    ["commas and blanks", "Read, Bash(git log:*) , mcp__srv__tool,"],
    ["lines", "Read\nBash(git log:*)\r\n  mcp__srv__tool\n"],
    ["a list", ["Read", "Bash(git log:*)", "mcp__srv__tool"]],
    ["a list of lists", ["Read, Bash(git log:*)", "mcp__srv__tool"]],
    ["the text of a list", "[Read, Bash(git log:*), mcp__srv__tool]"],
    ["the text of a list with quotes", `["Read", 'Bash(git log:*)', "mcp__srv__tool"]`],
    ["a list with quotes left in it", ['"Read"', "'Bash(git log:*)'", "mcp__srv__tool"]],
  ])("%s give the same patterns [S-30]", (_form, value) => {
    expect(splitAllowedTools(value)).toEqual(same);
  });
});

describe("parentheses", () => {
  test.each([
    ["Bash(git add:*, git rm:*) Read", ["Bash(git add:*, git rm:*)", "Read"]],
    ["Bash(echo (a (b)) c) Read", ["Bash(echo (a (b)) c)", "Read"]],
    [`Bash(echo "a)b" c) Read`, [`Bash(echo "a)b" c)`, "Read"]],
    ["Bash(echo don't) Read", ["Bash(echo don't)", "Read"]],
    ["Bash(python3 ${CLAUDE_SKILL_DIR}/a.py:*) Read", ["Bash(python3 ${CLAUDE_SKILL_DIR}/a.py:*)", "Read"]],
    ["Read() Write", ["Read()", "Write"]],
  ])("splits %j outside parentheses [S-30]", (text, items) => {
    expect(splitAllowedTools(text)).toEqual(items);
  });

  test.each(["Bash (git log:*)", "Bash\n(git log:*)", '"Bash" (git log:*)', "Bash(git log:* Read Write"])(
    "%j never becomes a grant of every command [S-30]",
    (text) => {
      const { patterns } = parseAllowedTools(splitAllowedTools(text));
      expect(patterns.filter(({ kind }) => kind === "tool")).toEqual([]);
    },
  );

  test("an empty value has no patterns [S-30]", () => {
    expect([
      splitAllowedTools(""),
      splitAllowedTools(" , \n"),
      splitAllowedTools("[]"),
      splitAllowedTools([]),
    ]).toEqual([[], [], [], []]);
  });

  test("splitting is stable for any text [S-30]", () => {
    const text = fc
      .array(fc.constantFrom("Read", "Bash", "(", ")", " ", ",", "'", '"', "x", "\n", "*", ":"))
      .map((each) => each.join(""));
    fc.assert(
      fc.property(text, (value) => {
        for (const item of splitAllowedTools(value)) {
          expect(item).toBe(item.trim());
          const { patterns } = parseAllowedTools([item]);
          if (patterns.length > 0) expect(splitAllowedTools(item)).toEqual([item]);
        }
      }),
    );
  });
});
