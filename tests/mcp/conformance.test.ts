import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { revisions, runScenario, runSuite, skillScenarios } from "./conformance.ts";
import { startHttp } from "./http-server.ts";

let http: Awaited<ReturnType<typeof startHttp>>;
beforeAll(async () => {
  http = await startHttp(resolve(import.meta.dirname, "../../skills"));
});
afterAll(() => http.close());

describe.each(revisions)("the official conformance suite at %s", (revision) => {
  test.each(skillScenarios)("passes %s without a failure or a warning [S-57]", async (scenario) => {
    const { code, output } = await runScenario(http.url, scenario, revision);
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining(", 0 failed, 0 warnings"),
    });
    expect(output).not.toContain("FAILURE");
  });

  test("passes except for the listed cases [S-57]", async () => {
    const { code, output } = await runSuite(http.url, revision);
    expect({ code, output }).toMatchObject({ code: 0 });
  });
});
