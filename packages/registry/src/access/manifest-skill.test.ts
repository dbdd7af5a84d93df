import { fixtureLibrary, skill } from "@skillhold/core/test/session/session.fixture";
import { expect, test } from "vitest";
import { rejectUnknownSkills } from "./manifest-skill.ts";

test("a manifest that names an unknown skill is rejected with a code [S-23]", async () => {
  const library = fixtureLibrary([skill("alpha")]);
  const check = (usesSkills: readonly string[], pins: readonly string[]) =>
    rejectUnknownSkills({ usesSkills, pins }, { runtime: "test" }, library);
  await check(["alpha"], ["alpha"]);
  await expect(check(["alpah"], [])).rejects.toMatchObject({
    code: "SKILL_NOT_FOUND",
    hint: "Did you mean alpha?",
  });
  await expect(check([], ["other"])).rejects.toMatchObject({
    code: "SKILL_NOT_FOUND",
    details: { id: "other" },
  });
});
