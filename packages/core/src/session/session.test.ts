import { SkillError, SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { fixtureLibrary, fixturePorts, openFixture, skill, withRead } from "./session.fixture.ts";
import { openSession, type Session } from "./session.ts";

const types = (events: readonly SkillEvent[]) => events.map(({ type }) => type);

test("an activation is recorded with id, hashes, source, session, task and time [S-25]", async () => {
  const { session, events } = await openFixture([skill("pdf")], { options: { task: "t1" } });
  const { treeHash } = await session.activate("pdf");
  expect(session.active()).toEqual([
    {
      skill: "pdf",
      treeHash,
      skillHash: expect.stringMatching(/^sha256:/),
      source: "memory",
      trust: "user",
      session: session.id,
      task: "t1",
      at: expect.stringMatching(/^2026-01-01T/),
      invoker: "model",
      args: "",
    },
  ]);
  expect(events.at(-1)).toMatchObject({
    type: "skill.activated",
    skill: "pdf",
    hash: treeHash,
    source: "memory",
    session: session.id,
    task: "t1",
    at: session.active()[0]?.at,
  });
});

test("everything that a session records is an event of the union [S-62]", async () => {
  const { session, events } = await openFixture([skill("pdf", { files: { "a.md": "x" } })], {
    viewer: { agent: "writer", user: "ann" },
    options: { task: "t1" },
  });
  await session.activate("pdf");
  await session.resource("pdf", "a.md");
  await expect(session.resource("pdf", "../x")).rejects.toMatchObject({ code: "RESOURCE_OUTSIDE_SKILL" });
  await session.deactivate("pdf");
  await session.close();
  expect(types(events)).toEqual([
    "session.opened",
    "skill.activated",
    "skill.resource_read",
    "skill.denied",
    "skill.deactivated",
    "session.closed",
  ]);
  for (const event of events) expect(SkillEvent.parse(event)).toEqual(event);
});

test("an activation whose record fails serves no content and does not count [S-25]", async () => {
  const ports = { ...fixturePorts() };
  const session = await openSession(fixtureLibrary([skill("pdf")]), { runtime: "test" }, ports);
  ports.audit.record = () => Promise.reject(new Error("disk full"));
  await expect(session.activate("pdf")).rejects.toThrow("disk full");
  expect(session.active()).toEqual([]);
});

test("a second read of the same hash is a note, unless the text is requested again [S-25]", async () => {
  const { session, events } = await openFixture([skill("pdf", { body: "Unmistakable." })]);
  await session.activate("pdf");
  const repeat = await session.activate("pdf");
  expect(repeat).toMatchObject({ isRepeat: true, id: "pdf" });
  expect(repeat.text).toContain("Skill already loaded: pdf");
  expect(repeat.text).not.toContain("Unmistakable");
  expect(repeat.tokens).toBeLessThan(60);
  const again = await session.activate("pdf", { again: true });
  expect(again).toMatchObject({ isRepeat: false });
  expect(again.text).toContain("Unmistakable");
  expect(types(events).filter((type) => type === "skill.activated")).toHaveLength(2);
});

test("of two concurrent reads, one returns the note [S-25]", async () => {
  const { session } = await openFixture([skill("pdf")]);
  const both = await Promise.all([session.activate("pdf"), session.activate("pdf")]);
  expect(both.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
});

test("other arguments give another text, and a changed skill comes with a warning [S-25]", async () => {
  const { session, library } = await openFixture([skill("fix", { body: "Fix $ARGUMENTS." })]);
  expect((await session.activate("fix", { args: "a" })).text).toContain("Fix a.");
  expect((await session.activate("fix", { args: "b" })).text).toContain("Fix b.");
  library.replace([skill("fix", { body: "Mend $ARGUMENTS." })]);
  const changed = await session.activate("fix", { args: "b" });
  expect(changed.text).toContain("Mend b.");
  expect(changed.warnings).toEqual([expect.stringContaining("has changed since it was activated")]);
  expect(session.active()).toHaveLength(1);
});

test("many skills are active at once, and deactivation affects only one [S-25]", async () => {
  const { session } = await openFixture([skill("a"), skill("b"), skill("c")]);
  for (const id of ["a", "b", "c"]) await session.activate(id);
  expect(await session.deactivate("b")).toEqual({ id: "b", wasActive: true });
  expect(await session.deactivate("b")).toEqual({ id: "b", wasActive: false });
  expect(session.active().map((each) => each.skill)).toEqual(["a", "c"]);
  expect((await session.activate("b")).isRepeat).toBe(false);
});

test("a hidden skill and a missing one look the same, and the record has the reason [S-25]", async () => {
  const { session, events } = await openFixture([skill("deploy"), skill("secret")], {
    viewer: { allow: ["deploy"] },
  });
  const refused = async (id: string) =>
    session.activate(id).then(
      () => undefined,
      (error) => ({ code: error.code, message: error.message.replace(id, "*"), hint: error.hint }),
    );
  expect(await refused("secret")).toEqual(await refused("nowhere"));
  expect(await refused("deplyo")).toMatchObject({ hint: "Did you mean deploy?" });
  expect(events.filter(({ type }) => type === "skill.denied")).toMatchObject([
    { skill: "secret", act: "activate", reason: "not-allowed" },
    { skill: "nowhere", act: "activate", reason: "SKILL_NOT_FOUND" },
    { skill: "deplyo" },
  ]);
});

test("accepts a request of any length and records a short form [S-25]", async () => {
  const { session, events } = await openFixture([]);
  await expect(session.activate("x".repeat(100_000))).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  expect(JSON.stringify(events.at(-1)).length).toBeLessThan(1500);
});

test("reads a resource without activation, whole or in part, and records its digest [S-26]", async () => {
  const files = { "references/a.md": "0123456789", "logo.png": new Uint8Array([0, 255]) };
  const { session, events } = await openFixture([skill("pdf", { files, trust: "org" })]);
  const part = await session.resource("pdf", "references/a.md", { start: 2, length: 3 });
  expect(part).toMatchObject({ content: "234", hasMore: true, size: 10, encoding: "utf-8", trust: "org" });
  expect(events.at(-1)).toMatchObject({
    type: "skill.resource_read",
    path: "references/a.md",
    digest: part.digest,
    hash: part.treeHash,
    start: 2,
  });
  expect(await session.resource("pdf", "logo.png")).toMatchObject({ encoding: "base64", content: "AP8=" });
});

test.each(["../x", "/etc/passwd", "a/../../x", "..\\x", "", "~/x", "a\0b", "x".repeat(600)])(
  "rejects the path %j and records the rejection [S-26]",
  async (path) => {
    const { session, events } = await openFixture([skill("pdf")]);
    await expect(session.resource("pdf", path)).rejects.toMatchObject({ code: "RESOURCE_OUTSIDE_SKILL" });
    const event = events.at(-1);
    expect(event).toMatchObject({
      type: "skill.denied",
      act: "read_resource",
      reason: "RESOURCE_OUTSIDE_SKILL",
    });
    expect(JSON.stringify(event).length).toBeLessThan(3000);
  },
);

test("rejects a missing file and suggests the nearest one [S-26]", async () => {
  const { session, events } = await openFixture([skill("pdf", { files: { "references/forms.md": "x" } })]);
  await expect(session.resource("pdf", "references/form.md")).rejects.toMatchObject({
    code: "PATH_NOT_FOUND",
    hint: "Did you mean references/forms.md?",
  });
  expect(events.at(-1)).toMatchObject({ type: "skill.denied", reason: "PATH_NOT_FOUND" });
});

test("reads files below nested folders, unless that is switched off [S-26]", async () => {
  const skills = [skill("pdf", { files: { "a/b.md": "b", "a/b/c.md": "c" } })];
  const open = await openFixture(skills);
  expect(await open.session.resource("pdf", "a/b/c.md")).toMatchObject({ content: "c" });
  const flat = await openFixture(skills, { options: { allowNested: false } });
  expect(await flat.session.resource("pdf", "a/b.md")).toMatchObject({ content: "b" });
  await expect(flat.session.resource("pdf", "a/b/c.md")).rejects.toMatchObject({ code: "POLICY_DENIED" });
  expect(flat.events.at(-1)).toMatchObject({ type: "skill.denied", reason: "POLICY_DENIED" });
});

test("a file of a skill that changed since activation comes with a warning [S-26]", async () => {
  const { session, library } = await openFixture([skill("pdf", { files: { "a.md": "1" } })]);
  await session.activate("pdf");
  expect(await session.resource("pdf", "a.md")).toMatchObject({ warnings: [] });
  library.replace([skill("pdf", { files: { "a.md": "2" } })]);
  expect(await session.resource("pdf", "a.md")).toMatchObject({
    warnings: [expect.stringContaining("changed")],
  });
});

test("a tool call carries session, agent, task and the active skills with their hashes [S-31]", async () => {
  const { session } = await openFixture([skill("a"), skill("b")], {
    viewer: { agent: "writer", user: "ann" },
  });
  expect(session.toolContext()).toEqual({
    session: session.id,
    runtime: "test",
    agent: "writer",
    user: "ann",
    activeSkills: [],
  });
  session.beginTask("t2");
  const { treeHash } = await session.activate("b");
  expect(session.toolContext()).toMatchObject({ task: "t2", activeSkills: [{ id: "b", treeHash }] });
  await session.deactivate("b");
  expect(session.toolContext().activeSkills).toEqual([]);
});

test("a closed session returns nothing more and is closed once [S-25]", async () => {
  const { session, events } = await openFixture([skill("a")]);
  await session.activate("a");
  await Promise.all([session.close(), session.close()]);
  expect(types(events).filter((type) => type === "session.closed")).toHaveLength(1);
  await expect(session.activate("a")).rejects.toMatchObject({ code: "USAGE" });
  await expect(session.resource("a", "SKILL.md")).rejects.toMatchObject({ code: "USAGE" });
  expect(session.active()).toEqual([]);
});

test.each<[string, (session: Session) => Promise<unknown>]>([
  ["list", (session) => session.list()],
  ["search", (session) => session.search("a")],
  ["catalogue", (session) => session.catalogue()],
  ["activate", (session) => session.activate("a")],
  ["deactivate", (session) => session.deactivate("a")],
  ["resource", (session) => session.resource("a", "SKILL.md")],
  ["a refused resource", (session) => session.resource("hidden", "SKILL.md")],
  ["/list-skills", (session) => session.slash("/list-skills")],
  ["/help", (session) => session.slash("/help")],
  ["/a", (session) => session.slash("/a")],
  ["/hidden", (session) => session.slash("/hidden")],
])("%s is neither answered nor recorded once closing has begun [S-25]", async (_, use) => {
  const { session, events } = await openFixture([skill("a"), skill("hidden")], { viewer: { allow: ["a"] } });
  const closing = session.close();
  await expect(use(session)).rejects.toMatchObject({ code: "USAGE", message: "The session is closed." });
  await closing;
  await expect(use(session)).rejects.toMatchObject({ code: "USAGE" });
  expect(types(events)).toEqual(["session.opened", "session.closed"]);
});

test("closing waits for earlier calls and is the last record [S-25]", async () => {
  const { session, events } = await openFixture([skill("a")]);
  const [resource, list] = await Promise.all([
    session.resource("a", "SKILL.md"),
    session.list(),
    session.resource("a", "nothing").catch(() => {}),
    session.close(),
  ]);
  expect(resource).toMatchObject({ path: "SKILL.md" });
  expect(list).toHaveLength(1);
  expect(types(events).toSorted()).toEqual(
    ["session.opened", "skill.resource_read", "skill.denied", "session.closed"].toSorted(),
  );
  expect(events.at(-1)?.type).toBe("session.closed");
});

test("a command that closing overtakes is rejected and leaves no record [S-25]", async () => {
  const { session, events } = await openFixture([skill("a")]);
  const command = session.slash("/a");
  await Promise.all([expect(command).rejects.toMatchObject({ code: "USAGE" }), session.close()]);
  expect(types(events)).toEqual(["session.opened", "session.closed"]);
});

test("a session stays open when its closing cannot be recorded [S-25]", async () => {
  const ports = { ...fixturePorts() };
  const session = await openSession(fixtureLibrary([skill("a")]), { runtime: "test" }, ports);
  const { record } = ports.audit;
  ports.audit.record = () => Promise.reject(new Error("disk full"));
  await expect(session.close()).rejects.toThrow("disk full");
  ports.audit.record = record;
  expect(await session.list()).toHaveLength(1);
  await session.close();
  expect(types(ports.events)).toEqual(["session.opened", "session.closed"]);
});

test("an error while a rejection is explained does not replace it [S-26]", async () => {
  const library = fixtureLibrary([skill("a")]);
  const ports = fixturePorts();
  const session = await openSession(library, { runtime: "test" }, ports);
  const fail = () => Promise.reject(new SkillError("IO_FAILED", "The disk is gone."));
  Object.assign(library, { files: fail, list: fail, explain: fail });
  await expect(session.resource("a", "nothing.md")).rejects.toMatchObject({
    code: "PATH_NOT_FOUND",
    hint: "Read the skill to see its files.",
  });
  await expect(session.activate("nowhere")).rejects.toMatchObject({
    code: "SKILL_NOT_FOUND",
    hint: "List the skills to see the available ids.",
  });
  expect(ports.events.slice(1)).toMatchObject([
    { type: "skill.denied", reason: "PATH_NOT_FOUND" },
    { type: "skill.denied", reason: "SKILL_NOT_FOUND" },
  ]);
});

test("the catalogue shows the skills that the viewer may see, pinned ones first [S-22]", async () => {
  const skills = [skill("a"), skill("b"), skill("c")];
  const { session } = await openFixture(skills, { viewer: { allow: ["a", "b"] }, options: { pins: ["b"] } });
  expect((await session.catalogue()).inline).toEqual(["b", "a"]);
});

test("a catalogue without room for all shows skills that fit the task [S-22]", async () => {
  const many = Array.from({ length: 60 }, (_, at) => skill(`skill-${at}`));
  const { session } = await openFixture([...many, skill("zebra", { yaml: "description: Feeds zebras." })]);
  expect((await session.catalogue()).inline).not.toContain("zebra");
  expect((await session.catalogue({ task: "feed the zebras" })).inline[0]).toBe("zebra");
});

test("a last good text is marked as such [S-24]", async () => {
  const library = withRead(fixtureLibrary([skill("a")]), () => ({ isLastGood: true }));
  const session = await openSession(library, { runtime: "test" }, fixturePorts());
  expect((await session.activate("a")).warnings).toEqual([expect.stringContaining("currently invalid")]);
});
