import { grantSkill } from "@skillhold/registry/access";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { offlineReport, taskReport } from "../eval-report.fixture.ts";
import { answerOf, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { asker, engines, openOn, put } from "./skill.fixture.ts";

const path = "/v1/skills/own/evals";

describe.each(engines)("eval results over HTTP on %s", (engine) => {
  let gateway: TestGateway;
  let owner: ReturnType<typeof asker>;
  let viewer: ReturnType<typeof asker>;
  beforeEach(async () => {
    gateway = await openOn(engine);
    owner = asker(gateway, await gateway.asRole("publisher", "ada"));
    viewer = asker(gateway, await gateway.asRole("viewer", "eve"));
    await put(gateway, "own", { files: { "a.md": "One." } });
    await put(gateway, "own", { files: { "a.md": "Two." } });
  });
  afterEach(() => gateway.close());

  const hashOf = async (number: number) => {
    const { store } = gateway.registry;
    const skill = await store.findSkill("own");
    const revision = await store.findRevision(skill?.uid ?? "", number);
    if (revision === undefined) throw new Error(`There is no revision ${number}`);
    return revision.treeHash;
  };
  const share = async (pin?: number) =>
    await grantSkill(
      "own",
      { kind: "user", key: "eve" },
      { by: { user: "ada", role: "publisher" }, ...(pin === undefined ? {} : { pin }) },
      gateway.registry,
    );

  test("viewers see the figures, and only managers see the runs [S-51]", async () => {
    await share();
    const body = taskReport("own", await hashOf(2));
    const added = await answerOf("addEval", await owner("POST", path, { body }));
    await owner("POST", path, { body: offlineReport("own", await hashOf(1)) });
    const first = await answerOf("listEvals", await viewer("GET", `${path}?limit=1`));
    expect(first.evals).toMatchObject([{ kind: "offline", by: "ada", revisions: [1] }]);
    const rest = await answerOf("listEvals", await viewer("GET", `${path}?cursor=${first.nextCursor}`));
    expect(rest.evals).toMatchObject([{ id: added.id, kind: "tasks", revisions: [2] }]);
    // The id of a rival that the viewer may not know.
    expect(JSON.stringify([first, rest])).not.toContain("forms");
    const full = await answerOf("getEval", await owner("GET", `${path}/${added.id}`));
    expect(full).toEqual({ id: added.id, by: "ada", report: body });
    const hidden = await viewer("GET", `${path}/${added.id}`);
    expect(await problemOf(hidden)).toMatchObject({ code: "FORBIDDEN" });
  });

  test("a viewer with a pinned revision sees only its results [S-51] [S-43]", async () => {
    await share(1);
    for (const number of [1, 2]) await owner("POST", path, { body: taskReport("own", await hashOf(number)) });
    const { evals } = await answerOf("listEvals", await viewer("GET", path));
    expect(evals.map(({ revisions }) => revisions)).toEqual([[1]]);
  });

  test("a report about another content, another skill or in another shape is refused [S-51]", async () => {
    const bodies = [
      [offlineReport("own"), "REVISION_NOT_FOUND"],
      [offlineReport("other", await hashOf(1)), "REVISION_NOT_FOUND"],
      [{ kind: "tasks", skill: "own" }, "USAGE"],
    ] as const;
    for (const [body, code] of bodies)
      expect(await problemOf(await owner("POST", path, { body }))).toMatchObject({ code });
    expect((await answerOf("listEvals", await owner("GET", path))).evals).toEqual([]);
  });

  test("a proposal shows the evals of its base and of its candidate [S-51] [S-49]", async () => {
    const base = await hashOf(2);
    const created = await owner("POST", "/v1/proposals", {
      body: {
        ...{ skill: "own", base, justification: "Shorter." },
        files: [{ path: "a.md", content: "Three." }],
      },
    });
    const { id, candidate } = await answerOf(
      "getProposal",
      await owner("GET", `/v1/proposals/${(await answerOf("createProposal", created)).id}`),
    );
    for (const hash of [base, candidate])
      await answerOf("addEval", await owner("POST", path, { body: taskReport("own", hash) }));
    const evals = await answerOf("getProposalEvals", await owner("GET", `/v1/proposals/${id}/evals`));
    expect(evals).toMatchObject({
      before: [{ kind: "tasks", treeHash: base }],
      after: [{ kind: "tasks", treeHash: candidate }],
    });
    const { evals: listed } = await answerOf("listEvals", await owner("GET", path));
    expect(listed.map(({ revisions }) => revisions)).toEqual([[], [2]]);
    await share();
    const { evals: shown } = await answerOf("listEvals", await viewer("GET", path));
    expect(shown.map(({ revisions }) => revisions)).toEqual([[2]]);
    const foreign = await viewer("GET", `/v1/proposals/${id}/evals`);
    expect(await problemOf(foreign)).toMatchObject({ code: "PROPOSAL_NOT_FOUND" });
  });
});
