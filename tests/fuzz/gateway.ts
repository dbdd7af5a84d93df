import { spawnSync } from "node:child_process";

const REQUESTS = "20000";

/** Requests made from the OpenAPI document, and bent ones, in the test that sends a few of them in every run. */
export function fuzzGateway([
  requests = REQUESTS,
  seed = `${Date.now() % 2 ** 31}`,
]: readonly string[]): number {
  const { status } = spawnSync("vitest", ["run", "tests/gateway/fuzz.test.ts"], {
    stdio: "inherit",
    env: {
      ...process.env,
      SKILLHOLD_FUZZ_REQUESTS: requests,
      SKILLHOLD_FUZZ_SEED: seed,
    },
  });
  return status ?? 1;
}
