import { chmodSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { FAKE_NPM } from "@skillhold/deps/test/environment/environment.fixture";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const { root, json, skill, write } = registryScene({ beforeEach, afterEach });

describe.runIf(process.platform === "linux")("deps install for a skill of the store", () => {
  test("stores the dependencies that are still missing [S-36] [S-38]", async () => {
    const folder = skill("needy");
    write(`${folder}/scripts/a.mjs`, 'import a from "zzz-one";\nimport b from "zzz-two";\n');
    const npm = write("bin/npm", `#!/bin/sh\n${FAKE_NPM}`);
    chmodSync(npm, 0o755);
    // Package managers run as another user.
    chmodSync(dirname(root()), 0o755);
    const env = { PATH: `${dirname(npm)}${delimiter}${process.env["PATH"]}` };
    const published = await json(["publish", folder], { env });
    expect(published.data.skills[0].missing).toEqual(["npm:zzz-one", "npm:zzz-two"]);
    const readiness = async () => (await json(["show", "needy"], { env })).data.entry.readiness;
    expect(JSON.stringify(await readiness())).toContain("zzz-one");

    await json(["deps", "install", "needy", "npm:zzz-one", "--yes"], { env });
    expect(JSON.stringify(await readiness())).not.toContain("zzz-one");
    expect(JSON.stringify(await readiness())).toContain("zzz-two");
    const { code, data } = await json(["deps", "install", "needy", "--yes"], { env });
    expect([code, data.state.missing]).toEqual([0, []]);
    expect(JSON.stringify(await readiness())).not.toContain("zzz-two");
    expect((await json(["audit", "verify"], { env })).data.isSound).toBe(true);
  });

  test("does not change the store when there is no work [S-36]", async () => {
    const folder = skill("needy");
    write(`${folder}/scripts/a.mjs`, 'import a from "zzz-one";\n');
    await json(["publish", folder]);
    const count = async () => (await json(["audit", "verify"])).data.entries;
    const before = await count();
    expect((await json(["deps", "install", "needy", "--yes", "--dry-run"])).code).toBe(0);
    expect(await count()).toBe(before);
  });

  test("rejects an invalid package, even when no dependency is missing [S-36]", async () => {
    await json(["publish", skill("needy")]);
    const { code, data } = await json(["deps", "install", "needy", "npx:marked", "--dry-run"]);
    expect([code, data.results]).toMatchObject([1, [{ spec: "npx:marked", status: "failed" }]]);
  });
});
