import { type GuardFinding, type GuardReport, type GuardSeverity, guardRules } from "@skillhold/skill/guard";

/** A report with the folder that its paths are relative to. */
export interface SarifSkill {
  readonly path: string;
  readonly report: GuardReport;
}

const LEVELS: Readonly<Record<GuardSeverity, "error" | "warning" | "note">> = {
  block: "error",
  warn: "warning",
  info: "note",
};

/** Reports as SARIF 2.1.0, which code hosts and editors read. */
export function toSarif(skills: readonly SarifSkill[], version: string): object {
  const used = new Set(skills.flatMap(({ report }) => report.findings.map(({ ruleId }) => ruleId)));
  const rules = [...used].sort().flatMap((id) => {
    const rule = guardRules.get(id);
    return rule === undefined ? [] : [rule];
  });
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "skillhold-guard",
            version,
            rules: rules.map(({ id, message, fix, owasp, severity }) => ({
              id,
              shortDescription: { text: message },
              help: { text: fix },
              defaultConfiguration: { level: LEVELS[severity] },
              properties: { tags: ["security", owasp] },
            })),
          },
        },
        results: skills.flatMap(({ path, report }) =>
          report.findings.map((finding) => resultOf(path, finding, indexes)),
        ),
      },
    ],
  };
}

function resultOf(path: string, finding: GuardFinding, indexes: ReadonlyMap<string, number>): object {
  const uri = [path === "." ? "" : path.replaceAll("\\", "/"), finding.file]
    .filter((part) => part !== "")
    .join("/");
  return {
    ruleId: finding.ruleId,
    ruleIndex: indexes.get(finding.ruleId) ?? -1,
    level: LEVELS[finding.severity],
    message: { text: `${finding.message} ${finding.fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(uri) },
          region: { startLine: finding.line, snippet: { text: finding.excerpt } },
        },
      },
    ],
    partialFingerprints: { contentHash: `${finding.ruleId}:${finding.digest}` },
    ...(finding.waivedBy === undefined
      ? {}
      : { suppressions: [{ kind: "external", justification: finding.waivedBy }] }),
  };
}
