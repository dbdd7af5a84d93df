import type { EnforcedLimits } from "@skillhold/core/run";
import { describe, expect, test } from "vitest";
import { bubblewrap } from "./bubblewrap.ts";
import { trialTable, tryLimits } from "./limit-trial.ts";
import { unconfined } from "./unconfined.ts";

const claimed: EnforcedLimits = {
  wall: "run",
  output: "run",
  disk: "run",
  cpu: "run",
  memory: "sampled",
  processes: "run",
};

describe.runIf(process.platform === "linux")("the trials of limits", () => {
  test.each([
    ["the groups of this machine", bubblewrap()],
    ["no control group", bubblewrap({ groups: null })],
  ])("end every run in bubblewrap with %s [S-29]", async (_, sandbox) => {
    const { checks, enforced } = await tryLimits(sandbox, claimed);
    expect(checks.map(({ name, isConfined, detail }) => [name, isConfined, detail])).toEqual([
      ["exceed-memory", true, "the run was ended"],
      ["exceed-cpu", true, "the run was ended"],
      ["exceed-inodes", true, "the run was ended"],
    ]);
    expect(enforced).toEqual(claimed);
  });

  test("refute the claims of a backend without limits [S-29]", async () => {
    const modest = { ...claimed, cpu: "process" } as const;
    // Tens of thousands of files take minutes on some disks.
    const trials = trialTable.filter(({ name }) => name !== "exceed-inodes");
    const { checks, enforced } = await tryLimits(unconfined(), modest, trials);
    expect(checks.map(({ isConfined }) => isConfined)).toEqual([false, false]);
    expect(enforced).toEqual({ ...modest, memory: "none" });
  });
});
