import { hashSkillFile } from "@skillhold/core/bundle";
import type { ProposedChange } from "@skillhold/core/session";
import { NewSkillInput, SkillUpdateInput } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import { composeSkill, parseSkill, readDialect, scalarText } from "@skillhold/skill";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StagedFile } from "../record/staged-skill.ts";
import { applyChange } from "./change.ts";

const skillText = (body: string, description = "Fills PDF forms.") =>
  `---\nname: pdf\nlicense: MIT # kept\ndescription: ${description}\n---\n${body}`;

function staged(files: Readonly<Record<string, string>>): readonly StagedFile[] {
  return Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text);
    return { path, content, size: content.length, executable: false, digest: hashSkillFile(content) };
  });
}

function texts(base: Readonly<Record<string, string>>, change: ProposedChange): Record<string, string> {
  const files = applyChange(staged(base), change, defaultLimits);
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
}

/** The files after a proposal in any form, checked by the schema of its tool. */
function proposed(input: unknown, base: Readonly<Record<string, string>>) {
  const native = readDialect(input);
  if (native?.kind === "create") {
    const { files, ...reason } = NewSkillInput.parse(native.input);
    return { ...reason, after: texts({}, { files }) };
  }
  const { justification, evidence, ...change } = SkillUpdateInput.parse(native?.input ?? input);
  return { justification, ...(evidence === undefined ? {} : { evidence }), after: texts(base, change) };
}

const line = fc.string({ maxLength: 60 }).map((each) => each.replaceAll(/[\uD800-\uDFFF]/g, ""));
/** Letters only, so that a marker is in a text exactly once. */
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const body = fc.array(line, { maxLength: 6 }).map((lines) => `# Steps\n${lines.join("\n")}\n`);
const sentence = fc.stringMatching(/^[A-Z][a-z:#"' -]{0,60}[a-z]$/);
/** The prefix keeps names of devices out, which no skill may use. */
const path = word.map((name) => `references/x-${name}.md`);

describe("a proposal in the form of another tool", () => {
  test("is the proposal of the native form: ProposeSkills [S-49]", () => {
    fc.assert(
      fc.property(
        body,
        body,
        sentence,
        fc.array(word, { maxLength: 3 }),
        (before, after, description, seen) => {
          const base = { "SKILL.md": skillText(`${before}«old»\n`) };
          const evidence = seen.length === 0 ? {} : { evidence: seen };
          const reason = { justification: description, ...evidence };
          const improvement = { name: "pdf", kind: "improvement", target: "pdf", description, ...evidence };
          const edits = [{ old_string: "«old»", new_string: after }];
          expect(proposed({ proposals: [{ ...improvement, edits }] }, base)).toEqual(
            proposed(
              { skill_id: "pdf", description, edits: [{ old: "«old»", new: after }], ...reason },
              base,
            ),
          );
          const rewrite = { ...improvement, skillMd: skillText(after, "Ignored.") };
          expect(proposed({ proposals: [rewrite] }, base)).toEqual(
            proposed({ skill_id: "pdf", description, body: after, ...reason }, base),
          );
          const fresh = {
            name: "new-skill",
            kind: "new",
            description,
            skillMd: skillText(after),
            ...evidence,
          };
          const content = composeSkill("new-skill", description, after);
          expect(proposed({ proposals: [fresh] }, {})).toEqual({ ...reason, after: { "SKILL.md": content } });
        },
      ),
      { numRuns: 150 },
    );
  });

  test("is the proposal of the native form: skill_workshop [S-49]", () => {
    fc.assert(
      fc.property(body, body, sentence, path, line, (before, after, goal, file, content) => {
        const base = { "SKILL.md": skillText(before), "notes.md": "kept" };
        const support_files = [{ path: file, content }];
        const update = {
          action: "update",
          skill_name: "pdf",
          support_files,
          goal,
          evidence: "A run failed.",
        };
        const reason = { justification: goal, evidence: ["A run failed."] };
        const native = { skill_id: "pdf", files: support_files, ...reason };
        const expected = proposed({ ...native, body: after }, base);
        expect(expected.after["SKILL.md"]).toBe(skillText(after));
        for (const proposal_content of [skillText(after), ...(after.startsWith("---") ? [] : [after])])
          expect(proposed({ ...update, proposal_content }, base)).toEqual(expected);
        const create = {
          ...update,
          action: "create",
          name: "new-skill",
          description: goal,
          skill_name: null,
        };
        expect(proposed({ ...create, proposal_content: after }, {})).toEqual({
          ...reason,
          after: { "SKILL.md": composeSkill("new-skill", goal, after), [file]: content },
        });
      }),
      { numRuns: 150 },
    );
  });

  test("is the proposal of the native form: skill_manage [S-49]", () => {
    fc.assert(
      fc.property(body, body, path, line, (before, after, file, content) => {
        const base = { "SKILL.md": skillText(`${before}«old»\n`), [file]: "«old»" };
        const same = (action: string, fields: object, change: object) =>
          expect(proposed({ action, name: "pdf", category: null, ...fields }, base)).toEqual(
            proposed(
              {
                skill_id: "pdf",
                justification: `The agent gave no reason (skill_manage, ${action}).`,
                ...change,
              },
              base,
            ),
          );
        const patch = { old_string: "«old»", new_string: content, replace_all: false };
        same("patch", patch, { edits: [{ old: "«old»", new: content }] });
        same("patch", { ...patch, file_path: file }, { edits: [{ path: file, old: "«old»", new: content }] });
        same(
          "edit",
          { content: skillText(after) },
          { files: [{ path: "SKILL.md", content: skillText(after) }] },
        );
        same("write_file", { file_path: file, file_content: content }, { files: [{ path: file, content }] });
        same("remove_file", { file_path: file }, { files: [{ path: file, content: null }] });
        const create = { action: "create", name: "pdf", content: skillText(after), category: "office" };
        expect(proposed(create, {}).after).toEqual({ "SKILL.md": skillText(after) });
      }),
      { numRuns: 150 },
    );
  });

  test("is refused with USAGE where it means two things or is no proposal [S-49]", () => {
    const improvement = { name: "pdf", kind: "improvement", target: "pdf", description: "Fills forms." };
    const edits = [{ old_string: "a", new_string: "b" }];
    const workshop = { action: "update", skill_name: "pdf", proposal_content: "New." };
    const patch = { action: "patch", name: "pdf", old_string: "a", new_string: "b" };
    const refused: readonly (readonly [object, string])[] = [
      [{ proposals: [{ ...improvement, edits, skillMd: "x" }] }, "either edits or skillMd"],
      [{ proposals: [improvement] }, "either edits or skillMd"],
      [{ proposals: [{ ...improvement, target: "docx", edits }] }, "both"],
      [{ proposals: [{ ...improvement, target: null, edits }] }, "needs a target"],
      [{ proposals: [{ ...improvement, kind: "new", skillMd: "x" }] }, "no target"],
      [
        {
          proposals: [
            { ...improvement, edits },
            { ...improvement, edits },
          ],
        },
        "2 proposals",
      ],
      [{ proposals: [], skill_id: "pdf" }, "ProposeSkills"],
      [{ proposals: [{ ...improvement, edits }], action: "patch" }, "ProposeSkills"],
      [{ ...workshop, content: "x" }, "belongs to"],
      [{ ...workshop, name: "docx" }, "both"],
      [{ ...workshop, proposal_content: skillText("x").replace("pdf", "docx") }, "both"],
      [{ ...workshop, edits }, "skill_workshop"],
      [{ ...workshop, proposal_id: "p1" }, "stored proposal"],
      [{ ...workshop, support_files: [{ path: "SKILL.md", content: "x" }] }, "folder for support files"],
      [{ ...workshop, action: "apply" }, "not a proposal"],
      [{ ...workshop, action: "revise" }, "not a proposal"],
      [{ ...patch, content: "x" }, "takes no content"],
      [{ ...patch, replace_all: true }, "replace_all"],
      [{ ...patch, skill_id: "pdf" }, "skill_manage"],
      [{ action: "delete", name: "pdf", absorbed_into: "" }, "not a proposal"],
      [{ action: "edit", name: "pdf", content: skillText("x").replace("pdf", "docx") }, "both"],
      [{ action: "edit", name: "pdf", content: "No frontmatter." }, "frontmatter"],
      [{ action: "write_file", name: "pdf", file_path: "../SKILL.md", file_content: "x" }, "support files"],
      [{ action: "create", name: "pdf" }, "needs content"],
    ];
    for (const [input, reason] of refused)
      expect(() => readDialect(input), JSON.stringify(input)).toThrow(
        expect.objectContaining({ code: "USAGE", message: expect.stringContaining(reason) }),
      );
    const both = { body: "New.", edits: [{ old: "a", new: "b" }] };
    expect(() => applyChange(staged({ "SKILL.md": skillText("a") }), both, defaultLimits)).toThrow(
      expect.objectContaining({ code: "USAGE" }),
    );
  });

  test("throws only coded errors for hostile input [S-49]", () => {
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom("create", "update", "edit", "patch", "write_file", "new", "improvement", "pdf", ""),
      fc.constantFrom(skillText("x"), "---\n- a\n---\n", "---\na: &a [*a]\n---\n", "---", "\uFEFF---\n---\n"),
    );
    const item = fc.record(
      {
        name: value,
        kind: value,
        target: value,
        description: value,
        edits: value,
        skillMd: value,
        evidence: value,
      },
      { requiredKeys: [] },
    );
    const hostile = fc.oneof(
      fc.anything(),
      fc.record({ proposals: fc.oneof(fc.array(item, { maxLength: 2 }), value) }),
      fc.record(
        {
          action: value,
          name: value,
          skill_name: value,
          proposal_content: value,
          content: value,
          description: value,
          support_files: fc.oneof(
            value,
            fc.array(fc.record({ path: value, content: value }), { maxLength: 2 }),
          ),
          old_string: value,
          new_string: value,
          file_path: value,
          file_content: value,
        },
        { requiredKeys: ["action"] },
      ),
    );
    const bases = ["", "---\n- a\n---\nx", "---\nname: pdf\n", skillText("a")];
    fc.assert(
      fc.property(hostile, fc.constantFrom(...bases), (input, text) => {
        try {
          const native = readDialect(input);
          if (native === undefined) return;
          const schema = native.kind === "create" ? NewSkillInput : SkillUpdateInput;
          const parsed = schema.safeParse(native.input);
          if (parsed.success) applyChange(staged({ "SKILL.md": text }), parsed.data, defaultLimits);
        } catch (error) {
          expect(error).toBeInstanceOf(SkillError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("leaves a SKILL.md with the same description byte for byte [S-49]", () => {
    const base = { "SKILL.md": skillText("a", "'Fills:  forms.' # why") };
    const change = { description: "Fills:  forms." };
    expect(texts(base, change)).toEqual(base);
    const other = texts(base, { description: "Fills forms: all." })["SKILL.md"] ?? "";
    expect(scalarText(parseSkill(other), "description")).toBe("Fills forms: all.");
    expect(other).toContain("license: MIT # kept");
  });
});
