import { SkillId } from "@skillhold/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { folderId, isSkillId, publishId, reservedIds, slugify } from "./identity.ts";

test.each([
  ["My Awesome Skill", "my-awesome-skill"],
  ["  --Edge__case!!  ", "edge-case"],
  ["Crème Brûlée", "creme-brulee"],
  ["Straße Ærø Łódź", "strasse-aero-lodz"],
  ["ﬁle ２", "file-2"],
  ["C++ / C#", "c-c"],
  ["技能", ""],
  ["x".repeat(80), "x".repeat(64)],
  [`${"x".repeat(63)} y`, "x".repeat(63)],
])("slugify(%j) is %j [S-5]", (name, slug) => {
  expect(slugify(name)).toBe(slug);
});

test("a slug is an id or empty, and an id is its own slug [S-5]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (name) => {
      const slug = slugify(name);
      expect(slug === "" || isSkillId(slug)).toBe(true);
      expect(slugify(slug)).toBe(slug);
    }),
  );
});

test("an id has the shape that the wire accepts [S-5]", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9-]{1,70}$/)), (text) => {
      expect(isSkillId(text)).toBe(SkillId.safeParse(text).success);
    }),
  );
});

test("a folder's name is the id; an unusable one is slugified, and 技能 still gets an id [S-5]", () => {
  expect(folderId("pdf-tools")).toEqual({ id: "pdf-tools", isSlugified: false });
  expect(folderId("PDF Tools")).toEqual({ id: "pdf-tools", isSlugified: true });
  const chinese = folderId("技能");
  expect(chinese.id).toMatch(/^skill-[0-9a-f]{8}$/);
  expect(folderId("技能")).toEqual(chinese);
  expect(folderId("能力").id).not.toBe(chinese.id);
});

test("publishing uses the chosen id, else slug, else name, else the slug of the name [S-5]", () => {
  expect(publishId({ name: "pdf" })).toBe("pdf");
  expect(publishId({ name: "My Skill" })).toBe("my-skill");
  expect(publishId({ name: "My Skill", slug: "mine" })).toBe("mine");
  expect(publishId({ name: "My Skill", slug: "mine" }, "chosen")).toBe("chosen");
  expect(publishId({ name: "技能" })).toBeUndefined();
  expect(publishId({ name: "技能" }, "ji-neng")).toBe("ji-neng");
  expect(publishId({ name: "pdf", slug: "Not An Id" })).toBeUndefined();
});

test("the gateway's route names are reserved [S-5]", () => {
  expect([...reservedIds]).toEqual(["upload", "runtimes", "rescan-deps", "install-dep", "install-deps"]);
});
