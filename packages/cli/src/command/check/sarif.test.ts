import { emptyManifest, type GuardFinding, type GuardReport } from "@skillhold/skill/guard";
import { expect, test } from "vitest";
import { toSarif } from "./sarif.ts";

const manifest = emptyManifest("1");

test("writes SARIF 2.1.0 with rules, places and suppressions [S-52]", () => {
  const finding: GuardFinding = {
    ruleId: "pipe-to-shell",
    severity: "warn",
    file: "a b.sh",
    line: 3,
    message: "m",
    fix: "f",
    owasp: "LLM03",
    excerpt: "x",
    digest: "sha256:0",
    waivedBy: "w1",
  };
  const report: GuardReport = {
    engine: "1",
    verdict: "clean",
    findings: [finding],
    manifest,
    incoherent: [],
    limitations: [],
  };
  expect(toSarif([{ path: "skills/x", report }], "1.0.0")).toMatchObject({
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { rules: [{ id: "pipe-to-shell" }] } },
        results: [
          {
            ruleId: "pipe-to-shell",
            ruleIndex: 0,
            level: "warning",
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: "skills/x/a%20b.sh" },
                  region: { startLine: 3 },
                },
              },
            ],
            suppressions: [{ kind: "external" }],
          },
        ],
      },
    ],
  });
});
