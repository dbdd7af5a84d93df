import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { runJson, runMain } from "../../fake-host.ts";

describe.runIf(process.platform === "linux")("sandbox test", () => {
  test("tests the real sandbox and reports results and enforced limits [S-29] [S-60]", async () => {
    const { code, data } = await runJson(["sandbox", "test"], tmpdir());
    expect(code).toBe(0);
    expect(data).toMatchObject({ sandbox: "bubblewrap", isConfined: true, enforced: { wall: "run" } });
    const names = data.checks.map(({ name }: { name: string }) => name);
    for (const name of [
      "read-home",
      "connect-loopback",
      "change-skill",
      "exceed-memory",
      "exceed-cpu",
      "exceed-inodes",
    ])
      expect(names).toContain(name);
  });

  test("prints a readable report with counts [S-60]", async () => {
    const { out, err } = await runMain(["sandbox", "test"], tmpdir());
    expect(out).toMatch(/^bubblewrap \d/);
    expect(out).toMatch(/\n {2}ok {6}cannot read a file in the home folder \(/);
    expect(out).toContain("\nlimits\n  wall        enforced for the whole run\n");
    expect(err).toMatch(/^\d+ checks passed, 0 failed\n$/);
  });
});
