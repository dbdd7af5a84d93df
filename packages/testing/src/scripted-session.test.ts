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

test("opens more sessions over the same skills, which can change meanwhile [S-58]", async () => {
  await using testing = await openTestSession([skill("pdf")], { user: "ada" });
  await testing.session.activate("pdf");
  const bob = await testing.open({ user: "bob", allow: [] });
  expect(await bob.list()).toEqual([]);
  const resumed = await testing.open({ user: "ada", session: { resume: testing.session.snapshot() } });
  expect(resumed.active().map(({ skill: id }) => id)).toEqual(["pdf"]);
  testing.library.replace([skill("pdf"), skill("docx")]);
  expect((await testing.session.list()).map(({ id }) => id)).toEqual(["docx", "pdf"]);
  const sessions = testing.events.flatMap((event) =>
    event.type === "session.opened" ? [event.session] : [],
  );
  expect(sessions).toEqual([testing.session.id, bob.id, resumed.id]);
});
