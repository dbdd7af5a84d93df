import { expect, test } from "vitest";
import { fixtureLibrary, fixturePorts, skill } from "./session.fixture.ts";
import { openSession } from "./session.ts";

const strict = (body = "# Steps\n") => skill("strict", { yaml: "allowed-tools: Read", body });

async function openResumable(skills = [strict(), skill("other")]) {
  const library = fixtureLibrary(skills);
  const ports = fixturePorts();
  const viewer = { runtime: "test", agent: "writer" };
  const session = await openSession(library, viewer, ports, { task: "t1" });
  const resume = (snapshot: unknown) =>
    openSession(library, viewer, ports, { resume: snapshot as ReturnType<typeof session.snapshot> });
  return { library, ports, session, resume };
}

test("a resumed session keeps its active skills, so allowed-tools still holds [S-31] [S-30]", async () => {
  const { session, resume, ports } = await openResumable();
  await session.activate("other", { args: "a b", invoker: "user" });
  await session.activate("strict");
  const snapshot = JSON.parse(JSON.stringify(session.snapshot()));
  const next = await resume(snapshot);
  expect(next.id).not.toBe(session.id);
  expect(next.active().map(({ skill, invoker, args, task }) => [skill, invoker, args, task])).toEqual([
    ["other", "user", "a b", "t1"],
    ["strict", "model", "", "t1"],
  ]);
  expect(await next.guard("Bash", { command: "ls" })).toMatchObject({ verdict: "blocked", skill: "strict" });
  expect(next.resumed).toMatchObject({ session: session.id, dropped: [], kept: [{}, {}] });
  expect(await next.activate("strict")).toMatchObject({ isRepeat: true });
  expect(ports.events.findLast(({ type }) => type === "session.opened")).toMatchObject({
    session: next.id,
    resumed: { session: session.id },
  });
});

test("a changed or missing skill is dropped, reported and recorded [S-31]", async () => {
  const { session, resume, library, ports } = await openResumable();
  await session.activate("strict");
  await session.activate("other");
  const snapshot = session.snapshot();
  library.replace([strict("# Other steps\n")]);
  const next = await resume(snapshot);
  expect(next.active()).toEqual([]);
  expect(next.resumed?.dropped).toEqual([
    { skill: "strict", treeHash: snapshot.active[0]?.treeHash, reason: "changed" },
    { skill: "other", treeHash: snapshot.active[1]?.treeHash, reason: "missing" },
  ]);
  expect(ports.events.at(-1)).toMatchObject({
    type: "session.opened",
    resumed: { kept: [], dropped: [{ reason: "changed" }, { reason: "missing" }] },
  });
});

test.each([null, {}, { version: 2, session: "s", active: [] }, { version: 1, session: "s", active: [{}] }])(
  "the snapshot %j is rejected [S-31]",
  async (snapshot) => {
    const { resume } = await openResumable();
    await expect(resume(snapshot)).rejects.toMatchObject({ code: "USAGE" });
  },
);

test("a session closes at the end of its scope [S-58]", async () => {
  const { library, ports } = await openResumable();
  {
    await using session = await openSession(library, { runtime: "test" }, ports);
    await session.activate("other");
  }
  expect(ports.events.at(-1)).toMatchObject({ type: "session.closed" });
});
