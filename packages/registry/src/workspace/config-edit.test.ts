import fc from "fast-check";
import { expect, test } from "vitest";
import { addListedSkill, removeListedSkill } from "./config-edit.ts";
import { readWorkspaceConfig } from "./workspace-config.ts";

const block = `# The SEO team
name: SEO   # shown on the card
skills:
  # first the audit
  - audit-page # keep first
  - keyword-research

model: "gpt"   # hot
`;

test("adds a skill at the end of a block list and keeps comments and order [S-56]", () => {
  expect(addListedSkill(block, "write-page")).toBe(
    block.replace("  - keyword-research\n", "  - keyword-research\n  - write-page\n"),
  );
  expect(addListedSkill(block, "audit-page")).toBe(block);
});

test("removes one line of a block list [S-56]", () => {
  expect(removeListedSkill(block, "keyword-research")).toBe(block.replace("  - keyword-research\n", ""));
  expect(removeListedSkill(block, "other")).toBe(block);
});

test.each([
  ["a missing list", "name: a", "name: a\nskills:\n  - x\n"],
  ["an empty file", "", "skills:\n  - x\n"],
  ["an empty field", "skills:\nname: a\n", "skills:\n  - x\nname: a\n"],
  ["an empty field with a comment", "skills: # none\n", "skills: # none\n  - x\n"],
  ["an empty flow list", "skills: []\n", "skills: [x]\n"],
  ["a flow list", "skills: [a, b] # c\n", "skills: [a, b, x] # c\n"],
  ["a list without indentation", "skills:\n- a\nname: n\n", "skills:\n- a\n- x\nname: n\n"],
  ["a last line without an end", "skills:\n  - a", "skills:\n  - a\n  - x"],
  ["a trailing comment", "skills:\n  - a\n# end\n", "skills:\n  - a\n  - x\n# end\n"],
])("adds a skill to %s [S-56]", (_, before, after) => {
  expect(addListedSkill(before, "x")).toBe(after);
});

test("quotes an id that YAML reads as another type [S-56]", () => {
  for (const id of ["null", "true", "1e3", "123"]) {
    const text = addListedSkill("skills:\n  - a\n", id);
    expect(readWorkspaceConfig(text).config?.skills).toEqual(["a", id]);
    expect(removeListedSkill(text, id)).toBe("skills:\n  - a\n");
  }
});

test("removes the last skill and one of a flow list [S-56]", () => {
  expect(removeListedSkill("skills:\n  - a\nname: n\n", "a")).toBe("skills: []\nname: n\n");
  expect(removeListedSkill("skills: [a, b]\n", "a")).toBe("skills: [b]\n");
});

test("rejects a config that cannot be edited safely, and keeps it [S-56]", () => {
  for (const text of ["skills: {a: 1}", "skills: [../x]", "a: [", "- a", "skills: &x [a]\nname: *y"])
    expect(() => addListedSkill(text, "x")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});

test("adding and removing a skill gives the same text again [S-56]", () => {
  const id = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,4})?$/);
  const comment = fc.constantFrom("", " # why", "   # why: because");
  const config = fc
    .tuple(fc.uniqueArray(id, { minLength: 1, maxLength: 6 }), comment, fc.constantFrom("", "  ", "    "))
    .map(([ids, note, indent]) => ({
      ids,
      text: `name: a # n\nskills:${note}\n${ids.map((each) => `${indent}- ${JSON.stringify(each)}${note}\n`).join("")}tier: 2\n`,
    }));
  fc.assert(
    fc.property(config, id, ({ ids, text }, added) => {
      fc.pre(!ids.includes(added));
      const after = addListedSkill(text, added);
      expect(readWorkspaceConfig(after).config?.skills).toEqual([...ids, added]);
      expect(removeListedSkill(after, added)).toBe(text);
    }),
  );
});
