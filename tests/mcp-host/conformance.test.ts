import { describe, expect, test } from "vitest";
import { dates, runScenario, scenarios } from "./conformance.ts";

describe.each(dates)("by the official suite, on the protocol of %s,", (date) => {
  test.each(scenarios)("our host passes %s [S-57]", async (scenario) => {
    const { exitCode, output } = await runScenario(scenario, date);
    expect(output).toMatch(/Passed: 1\/1, 0 failed, 0 warnings/);
    expect(exitCode).toBe(0);
  });

  test("a client that checks nothing does not pass [S-57]", async () => {
    const { exitCode } = await runScenario("sep-2640-client-verify-digest", date, "careless");
    expect(exitCode).not.toBe(0);
  });
});
