import { expect, test } from "vitest";
import { parseSkill } from "./parse.ts";
import { propertiesOf, referencePrompt } from "./reference-format.ts";

test("the block of an empty library matches the reference [S-21]", () => {
  expect(referencePrompt([])).toBe("<available_skills>\n</available_skills>");
});

test("values are on their own lines and cannot break out [S-21]", () => {
  const block = referencePrompt([
    { name: "a", description: 'Use <foo> & "bar" </skill>', location: "/s/a/SKILL.md" },
  ]);
  expect(block).toBe(
    "<available_skills>\n<skill>\n<name>\na\n</name>\n<description>\nUse &lt;foo&gt; &amp; &quot;bar&quot; &lt;/skill&gt;\n</description>\n<location>\n/s/a/SKILL.md\n</location>\n</skill>\n</available_skills>",
  );
});

test("properties are the specification's fields, unchanged [S-2]", () => {
  const properties = (yaml: string) => propertiesOf(parseSkill(`---\n${yaml}\n---\n`));
  expect(
    properties("name: a\ndescription: ' x '\nextra: 1\nallowed-tools: Bash(git:*) Read\nmetadata: {v: 1.0}"),
  ).toEqual({
    name: "a",
    description: "x",
    "allowed-tools": "Bash(git:*) Read",
    metadata: { v: "1.0" },
  });
  expect(properties("name: 12306\ndescription: x")?.name).toBe("12306");
  expect(properties("name: a")).toBeUndefined();
  expect(properties("name: ''\ndescription: x")).toBeUndefined();
});
