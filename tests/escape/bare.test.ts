import { unconfined } from "@skillhold/sandbox/test/backend/unconfined";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attacks } from "./attacks.ts";
import { runAttack } from "./run-attack.ts";
import { Stage } from "./scene.ts";

const stage = new Stage();
beforeAll(async () => void (await stage.open()));
afterAll(() => stage.close());

const isRoot = process.getuid?.() === 0;
const harmful = attacks.filter(({ bare }) => bare === "harms" || (bare === "harms-as-root" && isRoot));

describe.runIf(process.platform === "linux")("without a sandbox", () => {
  const sandbox = unconfined();
  test.concurrent.for(harmful)("the suite detects that a script can $title [S-29]", async (attack) => {
    expect(await runAttack(attack, sandbox, stage, { hasMount: true })).toEqual(expect.any(String));
  });
});
