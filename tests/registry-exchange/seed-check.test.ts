import { type SeedReport, seedSkills } from "@skillhold/registry/seed";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Bench, eventsOf, getRow } from "./store.fixture.ts";

describe("dependencies of bundled skills", () => {
  let bench: Bench;
  let bundled: string;
  let missing: readonly string[];
  beforeEach(() => {
    bench = new Bench("sqlite");
    bundled = bench.path("skills");
    bench.skill("skills/pdf");
    missing = [];
  });
  afterEach(() => bench.close());

  const hooks = { missing: async () => missing };

  test("are checked after seeding, so that the start does not wait [S-39]", async () => {
    let answer: (missing: readonly string[]) => void = () => {};
    const asked = new Promise<readonly string[]>((resolve) => {
      answer = resolve;
    });
    const context = await bench.context({ hooks: { missing: () => asked } });
    const { skills, checks } = await seedSkills(bundled, {}, context);
    expect(skills).toMatchObject([{ status: "added" }]);
    expect(await getRow("pdf", context)).toMatchObject({ status: "active", missing: [] });
    answer(["pip:pypdf"]);
    await checks;
    expect(await getRow("pdf", context)).toMatchObject({
      status: "archived",
      reason: "deps",
      missing: ["pip:pypdf"],
    });
  });

  test("archive a skill while they are missing, with an event for each change [S-38]", async () => {
    const context = await bench.context({ hooks });
    missing = ["jq", "pip:pypdf"];
    await (await seedSkills(bundled, {}, context)).checks;
    expect(await getRow("pdf", context)).toMatchObject({
      status: "archived",
      reason: "deps",
      missing,
      revision: 1,
    });
    const stayed = await getRow("pdf", context);
    await (await seedSkills(bundled, {}, context)).checks;
    expect(await getRow("pdf", context)).toEqual(stayed);
    missing = ["jq"];
    await (await seedSkills(bundled, {}, context)).checks;
    expect(await getRow("pdf", context)).toMatchObject({ status: "archived", missing: ["jq"] });
    missing = [];
    await (await seedSkills(bundled, {}, context)).checks;
    expect(await getRow("pdf", context)).toMatchObject({ status: "active", reason: undefined, missing: [] });
    const changes = (await eventsOf(context)).filter(({ type }) => type === "skill.status_changed");
    expect(changes).toMatchObject([
      { status: "archived", reason: "deps", missing: ["jq", "pip:pypdf"] },
      { status: "archived", reason: "deps", missing: ["jq"] },
      { status: "active", missing: [] },
    ]);
  });

  test("do not restore a skill that a person archived [S-38]", async () => {
    const context = await bench.context({ hooks });
    await (await seedSkills(bundled, {}, context)).checks;
    const pdf = await getRow("pdf", context);
    const archived = { ...pdf, status: "archived" as const, reason: "no longer used" };
    await context.store.transaction((tx) => tx.putSkill(archived));
    await (await seedSkills(bundled, {}, context)).checks;
    expect(await getRow("pdf", context)).toEqual(archived);
  });

  test("of a disabled skill are not checked, and it stays disabled when it changes [S-44]", async () => {
    const context = await bench.context({ hooks });
    await (await seedSkills(bundled, {}, context)).checks;
    const pdf = await getRow("pdf", context);
    await context.store.transaction((tx) => tx.putSkill({ ...pdf, isEnabled: false }));
    missing = ["pip:pypdf"];
    bench.skill("skills/pdf", "# New steps\n");
    const report = await seedSkills(bundled, {}, context);
    await report.checks;
    expect(report.skills).toMatchObject([{ status: "updated", revision: 2 }]);
    expect(await getRow("pdf", context)).toMatchObject({ isEnabled: false, status: "active", missing: [] });
  });

  test("that cannot be checked are reported without affecting the skill or the next one [S-38]", async () => {
    bench.skill("skills/xlsx");
    const problems: unknown[] = [];
    const broken = new Error("no sandbox");
    const context = await bench.context({
      hooks: {
        missing: async ({ id }) => {
          if (id === "pdf") throw broken;
          return ["jq"];
        },
      },
    });
    const report = await seedSkills(bundled, { onProblem: (problem) => problems.push(problem) }, context);
    await report.checks;
    expect(problems).toEqual([broken]);
    expect((await getRow("pdf", context)).status).toBe("active");
    expect((await getRow("xlsx", context)).status).toBe("archived");
  });

  test("apply only to the checked revision [S-38]", async () => {
    let report: SeedReport | undefined;
    const context = await bench.context({
      hooks: {
        missing: async () => {
          // The skill changes while its dependencies are checked.
          if (report === undefined) {
            bench.skill("skills/pdf", "# Newer\n");
            report = await seedSkills(bundled, {}, { ...context, hooks: {} });
          }
          return ["jq"];
        },
      },
    });
    await (await seedSkills(bundled, {}, context)).checks;
    expect(report?.skills).toMatchObject([{ status: "updated", revision: 2 }]);
    expect(await getRow("pdf", context)).toMatchObject({ revision: 2, status: "active", missing: [] });
  });

  test("are not checked after an abort [S-39]", async () => {
    const calls = new AbortController();
    let asked = 0;
    bench.skill("skills/xlsx");
    const context = await bench.context({
      hooks: {
        missing: async () => {
          asked += 1;
          calls.abort();
          return [];
        },
      },
    });
    await (await seedSkills(bundled, { signal: calls.signal }, context)).checks;
    expect(asked).toBe(1);
  });
});
