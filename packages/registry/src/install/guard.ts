import type { Diagnostic } from "@skillhold/protocol";
import type { CapabilityManifest, GuardFinding, GuardScan } from "@skillhold/skill/guard";
import type { StagedSkill } from "../record/staged-skill.ts";

/** Checks the content of a skill before it is installed. */
export type Guard = (staged: StagedSkill) => Promise<InstallFindings>;

export interface InstallFindings {
  /** A finding that is an error rejects the skill. */
  readonly findings: readonly Diagnostic[];
  /** The capabilities of the skill; undefined where no guard ran. */
  readonly capabilities: CapabilityManifest | undefined;
}

export const noGuard: Guard = async () => ({ findings: [], capabilities: undefined });

/** The content guard as a check of installs. A scan that fails rejects the skill. */
export function installGuard(scan: GuardScan): Guard {
  return async ({ id, files }) => {
    const scanned = files.map(({ path, content }) => ({ path, bytes: content }));
    const { findings, manifest } = await scan(scanned, { name: id });
    return { findings: findings.map(toDiagnostic), capabilities: manifest };
  };
}

const SEVERITIES = { block: "error", warn: "warning", info: "info" } as const;

function toDiagnostic({ ruleId, severity, file, line, message, fix }: GuardFinding): Diagnostic {
  const code = `GUARD_${ruleId.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;
  return { code, severity: SEVERITIES[severity], line, column: 1, message, fix, file };
}
