import type { PublishOptions } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import {
  applyWaivers,
  type CapabilityDiff,
  diffManifests,
  emptyManifest,
  formatChange,
  GUARD_ENGINE,
  type GuardReport,
} from "@skillhold/skill/guard";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";

/** The guard's answer about a skill that is about to be published. */
export interface Inspection {
  /** As the guard gave it; this is stored, because waivers come and expire. */
  readonly found: GuardReport;
  /** With the waivers that cover it now. */
  readonly report: GuardReport;
  /** Against the current revision; for a new skill, everything it can do is widened. */
  readonly diff: CapabilityDiff;
}

/**
 * Asks the guard about a staged skill. Throws GUARD_BLOCKED, with an event in the log, when a finding blocks, and
 * GUARD_FAILED when the guard itself fails: a skill that was not inspected is never published.
 */
export async function inspectStaged(
  staged: StagedSkill,
  options: PublishOptions,
  context: RegistryContext,
): Promise<Inspection | undefined> {
  const { hooks } = context;
  if (hooks?.inspect === undefined) return undefined;
  const found = await ask(staged, options.signal, hooks.inspect.bind(hooks));
  return await judgeReport(found, staged, options, context);
}

/** Applies the waivers to a report, and compares it with the current revision. Throws GUARD_BLOCKED. */
export async function judgeReport(
  found: GuardReport,
  staged: StagedSkill,
  options: PublishOptions,
  context: RegistryContext,
): Promise<Inspection> {
  const { store, clock } = context;
  const before = await store.findSkill(staged.id);
  const waivers = await store.listWaivers(staged.id);
  const report = applyWaivers(found, waivers, clock.now().toISOString());
  if (report.verdict === "block") throw await block(staged, report, options, context);
  const known = before?.treeHash === undefined ? undefined : await store.findGuardReport(before.treeHash);
  const diff = diffManifests(known?.manifest ?? emptyManifest(GUARD_ENGINE), report.manifest);
  return { found, report, diff };
}

async function ask(
  staged: StagedSkill,
  signal: AbortSignal | undefined,
  inspect: (staged: StagedSkill, signal?: AbortSignal) => Promise<GuardReport>,
): Promise<GuardReport> {
  try {
    return await inspect(staged, signal);
  } catch (error) {
    if (error instanceof SkillError && (error.code === "INTERRUPTED" || error.code === "GUARD_FAILED"))
      throw error;
    throw new SkillError("GUARD_FAILED", `The content guard failed on ${staged.id}.`, {
      details: { id: staged.id },
      cause: error,
    });
  }
}

async function block(
  { id, treeHash }: StagedSkill,
  report: GuardReport,
  { by, dryRun }: PublishOptions,
  { store, clock }: RegistryContext,
): Promise<SkillError> {
  const findings = report.findings.filter(
    ({ severity, waivedBy }) => severity === "block" && waivedBy === undefined,
  );
  const rules = [...new Set(findings.map(({ ruleId }) => ruleId))];
  const at = clock.now().toISOString();
  if (dryRun !== true)
    await store.transaction((tx) =>
      tx.append({ type: "guard.blocked", at, skill: id, by, hash: treeHash, engine: report.engine, rules }),
    );
  const [first] = findings;
  const more = findings.length > 1 ? ` There are ${findings.length - 1} more.` : "";
  const place = first === undefined ? "" : ` ${first.file}:${first.line}: ${first.message}`;
  return new SkillError("GUARD_BLOCKED", `The content guard blocks ${id}.${place}${more}`, {
    details: { id, findings },
  });
}

/** Sentences for the publisher: findings to review, and new capabilities. */
export function guardWarnings({ report, diff }: Inspection): readonly string[] {
  const open = report.findings.filter(
    ({ severity, waivedBy }) => severity === "warn" && waivedBy === undefined,
  );
  const [first] = open;
  const more = open.length > 1 ? `, and ${open.length - 1} more` : "";
  const review =
    first === undefined
      ? []
      : [`The content guard asks for a review: ${first.file}:${first.line}: ${first.message}${more}`];
  const names = diff.widened.map(formatChange);
  const shown = names.slice(0, 8).join(", ");
  const rest = names.length > 8 ? ` and ${names.length - 8} more` : "";
  return [...review, ...(names.length === 0 ? [] : [`New capabilities: ${shown}${rest}.`])];
}
