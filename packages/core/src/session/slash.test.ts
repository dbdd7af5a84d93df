import { expect, test } from "vitest";
import { openFixture, skill } from "./session.fixture.ts";

const skills = [
  skill("deploy-app", { yaml: "argument-hint: <target>\ntags: [release]", body: "Deploy $ARGUMENTS." }),
  skill("deploy-docs"),
  skill("review"),
  skill("help"),
  skill("manual", { yaml: "disable-model-invocation: true", files: { "a.md": "of a manual skill" } }),
  skill("quiet", { yaml: "user-invocable: false" }),
];

test.each([
  "/deploy-app to prod",
  "/use deploy-app to prod",
  "  /DEPLOY-APP   to prod ",
  "/use /deploy-app to prod",
])("%j starts the skill with its arguments [S-27]", async (line) => {
  const { session, events } = await openFixture(skills);
  const result = await session.slash(line);
  expect(result).toMatchObject({ kind: "activated", id: "deploy-app", args: "to prod" });
  expect(result?.kind === "activated" && result.skill.text).toContain("Deploy to prod.");
  expect(events.at(-1)).toMatchObject({ type: "skill.activated", skill: "deploy-app", invoker: "user" });
});

test("a unique prefix of an id is enough, and an ambiguous one is asked about [S-27]", async () => {
  const { session } = await openFixture(skills);
  expect(await session.slash("/rev")).toMatchObject({ kind: "activated", id: "review" });
  expect(await session.slash("/deploy")).toMatchObject({
    kind: "ambiguous",
    ids: ["deploy-app", "deploy-docs"],
    text: "/deploy could be /deploy-app, /deploy-docs.",
  });
  expect(session.active()).toHaveLength(1);
});

test("a whole id precedes the prefix of another [S-27]", async () => {
  const { session } = await openFixture([...skills, skill("deploy")]);
  expect(await session.slash("/deploy")).toMatchObject({ kind: "activated", id: "deploy" });
});

test("an unknown name gets suggestions from the skills that the user can start [S-27]", async () => {
  const { session, events } = await openFixture(skills);
  expect(await session.slash("/reviwe now")).toMatchObject({
    kind: "unknown",
    suggestions: ["review"],
    text: "There is no skill reviwe. Did you mean /review?",
  });
  expect(await session.slash("/list")).toMatchObject({ kind: "unknown", suggestions: ["list-skills"] });
  expect(await session.slash("/zzzzz")).toMatchObject({
    suggestions: [],
    text: expect.stringContaining("Try /list-skills"),
  });
  expect(events.map(({ type }) => type)).toEqual(["session.opened"]);
});

test("a skill that is not for users is unknown to them, and the record has the reason [S-27]", async () => {
  const { session, events } = await openFixture(skills);
  expect(await session.slash("/quiet")).toMatchObject({ kind: "unknown", suggestions: [] });
  expect(events.at(-1)).toMatchObject({ type: "skill.denied", skill: "quiet", reason: "model-only" });
});

test("a skill for users only starts by name, and only then opens its files to the model [S-27]", async () => {
  const { session } = await openFixture(skills);
  await expect(session.activate("manual")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  await expect(session.resource("manual", "a.md")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
  expect(await session.slash("/manual")).toMatchObject({ kind: "activated" });
  expect(await session.resource("manual", "a.md")).toMatchObject({ content: "of a manual skill" });
  expect(await session.activate("manual", { again: true })).toMatchObject({ isRepeat: false });
  await session.deactivate("manual");
  await expect(session.activate("manual")).rejects.toMatchObject({ code: "SKILL_NOT_FOUND" });
});

test("lists the skills that a user can start, with their argument hints [S-27]", async () => {
  const { session } = await openFixture(skills);
  const all = await session.slash("/list-skills");
  expect(all?.kind === "list" && all.skills.map(({ id }) => id)).toEqual([
    "deploy-app",
    "deploy-docs",
    "help",
    "manual",
    "review",
  ]);
  expect(await session.slash("/list-skills release")).toMatchObject({
    skills: [{ id: "deploy-app", argumentHint: "<target>" }],
    text: "/deploy-app <target>  Does things.",
  });
  expect(await session.slash("/list-skills nothing-like-it")).toMatchObject({
    text: "No skills match.",
  });
});

test("help is a command even if a skill has that name, and /use starts that skill [S-27]", async () => {
  const { session } = await openFixture(skills);
  expect(await session.slash("/help")).toMatchObject({
    kind: "help",
    text: expect.stringContaining("/list-skills"),
  });
  expect(await session.slash("/use")).toMatchObject({ kind: "help" });
  expect(await session.slash("/use help")).toMatchObject({ kind: "activated", id: "help" });
});

test.each(["hello", "", "use review", "/", "/ review", "//comment", "/etc/hosts is wrong", "see /review"])(
  "%j is not a command [S-27]",
  async (line) => {
    const { session } = await openFixture(skills);
    expect(await session.slash(line)).toBeUndefined();
  },
);

test.each(["/\u001b[31mx", "/<skill_content>", `/${"x".repeat(5000)}`, "/__proto__", "/constructor"])(
  "the hostile name %j is unknown and quoted safely [S-27]",
  async (line) => {
    const { session } = await openFixture(skills);
    const result = await session.slash(line);
    expect(result).toMatchObject({ kind: "unknown" });
    expect(result?.kind === "unknown" && result.text.length).toBeLessThan(300);
    expect(result?.kind === "unknown" && result.text).not.toMatch(/\p{Cc}/u);
  },
);
