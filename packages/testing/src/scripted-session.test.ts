import { expect, test } from "vitest";
import { openTestSession } from "./scripted-session.ts";

const skill = (folder: string) => ({
  folder,
  files: {
    "SKILL.md": `---\nname: ${folder}\ndescription: Does things.\n---\n# Steps\n`,
    "references/a.md": "A",
  },
});

test("plays tool calls over skills in memory, with the same records every time [S-58]", async () => {
  const once = async () => {
    const { play, events, close } = await openTestSession([skill("pdf"), skill("docx")]);
    const played = await play([
      { name: "read_skill", input: { skill_id: "pdf" } },
      { name: "read_skill_resource", input: { skill_id: "pdf", path: "references/a.md" } },
      { name: "read_skill", input: { skill_id: "no-such-skill" } },
    ]);
    await close();
    return { played: played.map(({ name, result }) => [name, result.ok]), events };
  };
  const first = await once();
  expect(first.played).toEqual([
    ["read_skill", true],
    ["read_skill_resource", true],
    ["read_skill", false],
  ]);
  expect(first.events.map(({ type }) => type)).toEqual([
    "session.opened",
    "skill.activated",
    "skill.resource_read",
    "skill.denied",
    "session.closed",
  ]);
  expect(await once()).toEqual(first);
});
