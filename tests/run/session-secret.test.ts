import { memorySecrets } from "@skillhold/core";
import { skill } from "@skillhold/core/test/session/session.fixture";
import { withLimits } from "@skillhold/protocol";
import { fixedAsker } from "@skillhold/sandbox/test/run/run.fixture";
import { expect, test } from "vitest";
import { openRunning, org } from "./session-run.fixture.ts";

test("a secret among the arguments is neither shown nor recorded, and reaches the script [S-33]", async () => {
  const secrets = memorySecrets();
  await secrets.set({ skill: "demo" }, "API_KEY", "s3cr3t-value");
  const yaml = "metadata: {openclaw: {requires: {env: [API_KEY]}}}";
  const asker = fixedAsker("once");
  const user = skill("demo", { yaml, files: { "scripts/a.sh": '[ "$1" = "$API_KEY" ] && touch "x-$1-y"' } });
  const { session, events } = await openRunning([user], { asker, secrets });
  const run = await session.run("demo", "a.sh", { args: ["s3cr3t-value"] });
  expect(run).toMatchObject({ exitCode: 0, files: [{ path: "x-[secret API_KEY]-y" }] });
  expect(asker.asked).toEqual(["demo scripts/a.sh [secret API_KEY]"]);
  expect(JSON.stringify([run, events])).not.toContain("s3cr3t");
  await session.close();
});

test("no part of a secret at the cut of the output is shown [S-33]", async () => {
  const secrets = memorySecrets();
  await secrets.set({ skill: "demo" }, "API_KEY", "s3cr3t-value-0123456789");
  const yaml = "metadata: {openclaw: {requires: {env: [API_KEY]}}}";
  const code = 'head -c 1010 /dev/zero | tr "\\0" x; printf %s "$API_KEY"; head -c 5000 /dev/zero';
  const { session } = await openRunning(
    [org({ "scripts/a.sh": code }, yaml)],
    { secrets },
    { limits: withLimits({ runOutputBytes: 1024 }) },
  );
  const run = await session.run("demo", "a.sh");
  expect(run.isTruncated).toBe(true);
  expect(run.stdout).not.toContain("s3c");
  await session.close();
});

test("declared secrets reach only the runs of their skill, and never the output [S-33]", async () => {
  const secrets = memorySecrets();
  await secrets.set({ skill: "demo" }, "API_KEY", "s3cr3t-value");
  await secrets.set({ skill: "demo" }, "OTHER_KEY", "undeclared-value");
  const yaml = "metadata: {openclaw: {requires: {env: [API_KEY]}}}";
  const files = { "scripts/a.sh": 'echo "key=$API_KEY other=$OTHER_KEY"; printf %s "$API_KEY" | base64 >&2' };
  const { session, events } = await openRunning([org(files, yaml), skill("spy", { files, trust: "org" })], {
    secrets,
  });
  const seen: string[] = [];
  const onOutput = (_: string, chunk: Uint8Array) => seen.push(Buffer.from(chunk).toString());
  const run = await session.run("demo", "a.sh", { onOutput });
  expect(run.stdout).toBe("key=[secret API_KEY] other=\n");
  expect(run.stderr).toBe("[secret API_KEY]\n");
  expect((await session.run("spy", "a.sh")).stdout).toBe("key= other=\n");
  expect(seen.join("") + JSON.stringify([run, events])).not.toMatch(/s3cr3t-value|undeclared-value|czNjcjN0/);
  expect(events.find(({ type }) => type === "run.requested")).toMatchObject({ secrets: ["API_KEY"] });
  await session.close();
});
