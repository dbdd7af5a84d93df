import { expect, test } from "vitest";
import { usesOf } from "./token-use.ts";

test("only the line that stores the secret contains it [S-59]", () => {
  const lines = usesOf("sk_secret", "http://127.0.0.1:7878", "agent").map(({ line }) => line);
  expect(lines.filter((line) => line.includes("sk_secret"))).toEqual(["export SKILLHOLD_TOKEN=sk_secret"]);
  expect(lines.at(-1)).toContain("--gateway http://127.0.0.1:7878 --token-env SKILLHOLD_TOKEN");
});
