import { estimateTokens } from "@skillhold/skill";
import { expect, test } from "vitest";
import { composeInstructions, injectAll } from "./instruction.ts";
import { type AgentManifest, viewerForAgent } from "./manifest.ts";
import { fixtureLibrary, fixturePorts, openFixture, skill } from "./session.fixture.ts";
import { openSession } from "./session.ts";

const manifest: AgentManifest = {
  id: "builder",
  runtime: "test",
  prompt: "prompt.md",
  instructions: "INLINE {{ untouched }}",
  usesSkills: ["beta", "alpha"],
  catalog: "own",
  pins: [],
};
const readPrompt = async (path: string) => `ROLE from ${path}`;

test("instructions are the role prompt, then the skills, then the inline text [S-23]", async () => {
  const skills = [
    skill("alpha", { body: "ALPHA BODY" }),
    skill("beta", { body: "BETA BODY" }),
    skill("gamma"),
  ];
  const { session, events } = await openFixture(skills, { viewer: viewerForAgent(manifest) });
  const { text, skills: bound, tokens } = await composeInstructions(manifest, readPrompt, session);
  const places = ["ROLE from prompt.md", "BETA BODY", "ALPHA BODY", "INLINE {{ untouched }}"].map((part) =>
    text.indexOf(part),
  );
  expect(places.every((place) => place >= 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(bound.map(({ id }) => id)).toEqual(["beta", "alpha"]);
  expect(tokens).toBe(estimateTokens(text));
  expect(events.map((event) => ("skill" in event ? `${event.type} ${event.skill}` : event.type))).toEqual([
    "session.opened",
    "skill.activated beta",
    "skill.activated alpha",
  ]);
  expect((await session.catalogue()).inline).toEqual(["alpha", "beta"]);
  expect((await session.activate("alpha")).isRepeat).toBe(true);
});

test("a missing skill is an error that names it and the agent [S-23]", async () => {
  const { session } = await openFixture([skill("beta")]);
  await expect(composeInstructions(manifest, readPrompt, session)).rejects.toMatchObject({
    code: "SKILL_NOT_FOUND",
    message: "The agent builder uses the skill alpha, which does not exist.",
    details: { id: "alpha", agent: "builder" },
  });
});

test("a manifest can bind a skill that models or users cannot start [S-23]", async () => {
  const { session } = await openFixture([
    skill("alpha", { yaml: "disable-model-invocation: true" }),
    skill("beta", { yaml: "user-invocable: false" }),
  ]);
  const { skills } = await composeInstructions(manifest, readPrompt, session);
  expect(skills.map(({ id }) => id)).toEqual(["beta", "alpha"]);
});

test("there are no instructions without prompt, skills and text [S-23]", async () => {
  const { session } = await openFixture([]);
  const { prompt: _, instructions: __, ...bare } = manifest;
  const empty = { text: "", tokens: 0, skills: [], leftOut: [] };
  expect(await composeInstructions({ ...bare, usesSkills: [] }, readPrompt, session)).toEqual(empty);
  expect(await injectAll(session, 1000)).toEqual(empty);
});

test("a runtime without tools gets all bodies that fit, in order, and a list of the rest [S-23]", async () => {
  const { session, events } = await openFixture([
    skill("a", { body: "BODY A" }),
    skill("b", { body: "long ".repeat(2000) }),
    skill("c", { body: "BODY C" }),
    skill("d", { body: "BODY D", files: { "examples/x.md": "example ".repeat(300) } }),
  ]);
  const { text, skills, leftOut } = await injectAll(session, 400);
  expect(skills.map(({ id }) => id)).toEqual(["a", "c"]);
  expect(leftOut).toEqual(["b", "d"]);
  expect(text.indexOf("BODY A")).toBeLessThan(text.indexOf("BODY C"));
  expect(text).toMatch(/Skills omitted because of the token budget: b, d\.$/);
  expect(skills.reduce((sum, each) => sum + estimateTokens(each.text), 0)).toBeLessThanOrEqual(400);
  const recorded = events.flatMap((event) => (event.type === "skill.activated" ? [event.skill] : []));
  expect(recorded).toEqual(["a", "c"]);
});

test("each included body leaves less room for the next [S-23]", async () => {
  const same = ["a", "b", "c", "d"].map((id) => skill(id, { body: "word ".repeat(200) }));
  const { session } = await openFixture(same);
  const { skills, leftOut } = await injectAll(session, 750);
  expect([skills.length, leftOut.length]).toEqual([2, 2]);
});

test("does not repeat skills that the manifest binds [S-23]", async () => {
  const { session } = await openFixture([skill("alpha"), skill("beta"), skill("gamma", { body: "GAMMA" })]);
  const { text, skills } = await composeInstructions(manifest, readPrompt, session, { fullTokens: 5000 });
  expect(skills.map(({ id }) => id)).toEqual(["beta", "alpha", "gamma"]);
  expect(text.indexOf("GAMMA")).toBeLessThan(text.indexOf("INLINE"));
});

test("a session opened with a manifest activates its skills in order and pins in its catalogue [S-23]", async () => {
  const skills = ["alpha", "beta", "gamma"].map((id) => skill(id, { body: `${id.toUpperCase()} BODY` }));
  const ports = fixturePorts();
  const own = { ...manifest, pins: ["gamma"] };
  const session = await openSession(fixtureLibrary(skills), { runtime: "test" }, ports, { manifest: own });
  expect(
    ports.events.map((event) => ("skill" in event ? `${event.type} ${event.skill}` : event.type)),
  ).toEqual(["session.opened", "skill.activated beta", "skill.activated alpha"]);
  expect(session.instructions).toMatch(/BETA BODY[\s\S]*ALPHA BODY[\s\S]*INLINE \{\{ untouched \}\}$/);
  expect((await session.catalogue()).inline).toEqual(["gamma", "alpha", "beta"]);
});

test("a session of a manifest with a missing skill does not open, and its record ends [S-23]", async () => {
  const ports = fixturePorts();
  const opening = openSession(fixtureLibrary([skill("beta")]), { runtime: "test" }, ports, { manifest });
  await expect(opening).rejects.toMatchObject({
    code: "SKILL_NOT_FOUND",
    message: "The agent builder uses the skill alpha, which does not exist.",
  });
  expect(ports.events.at(-1)).toMatchObject({ type: "session.closed" });
});
