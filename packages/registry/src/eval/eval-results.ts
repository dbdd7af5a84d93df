import type { Actor, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { EvalReportBody, EvalSummary } from "@skillhold/protocol/http";
import { getManaged } from "../ownership/ownership.ts";
import type { EvalResult } from "../record/eval-result.ts";
import { openStates } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";

/** The newest results that a skill keeps. */
const MOST_RESULTS = 500;

/**
 * Keeps the result of an eval. Only managers of the skill may add one, and only about the content of one of its
 * revisions or open proposals. The same report is kept once.
 */
export async function addEvalResult(
  idOrUid: string,
  report: EvalReportBody,
  by: Actor,
  { store, clock, ids }: RegistryContext,
): Promise<EvalSummary> {
  return await store.transaction(async (tx) => {
    const skill = await getManaged(idOrUid, by, tx);
    const revision = (await tx.listRevisions(skill.uid)).find(({ treeHash }) => treeHash === report.treeHash);
    const { treeHash: candidate } = report;
    const proposed =
      revision === undefined
        ? await tx.listProposals({ skill: skill.id, candidate, states: openStates, limit: 1 })
        : [];
    if (report.skill !== skill.id || (revision === undefined && proposed.length === 0))
      throw new SkillError(
        "REVISION_NOT_FOUND",
        `No revision or open proposal of ${skill.id} has the content that the report is about.`,
        {
          hint: "Publish or propose the evaluated content first.",
          details: { id: skill.id, hash: report.treeHash },
        },
      );
    const same = await tx.findSameEval(skill.uid, report);
    if (same !== undefined) return same.summary;
    const id = ids.next();
    const addedAt = clock.now().toISOString();
    const summary = summarizeEval(report, { id, by: by.user });
    await tx.putEval({
      id,
      skill: skill.uid,
      treeHash: report.treeHash,
      addedAt,
      by: by.user,
      summary,
      report,
    });
    await tx.trimEvals(skill.uid, MOST_RESULTS);
    await tx.append({
      type: "eval.recorded",
      at: addedAt,
      skill: skill.id,
      by,
      report: id,
      kind: report.kind,
      hash: report.treeHash,
      ...(revision === undefined ? {} : { revision: revision.revision }),
    });
    return summary;
  });
}

/** Contract: the caller has checked that the viewer may see all runs of this skill's evals. */
export async function getEvalResult(
  uid: string,
  id: string,
  { store }: Pick<RegistryContext, "store">,
): Promise<EvalResult> {
  const result = await store.findEval(id);
  if (result !== undefined && result.skill === uid) return result;
  throw new SkillError("EVAL_NOT_FOUND", `There is no eval result ${JSON.stringify(id.slice(0, 64))}.`);
}

/** The newest result of each kind about one content. */
export async function latestEvals(
  uid: string,
  treeHash: Digest,
  { store }: Pick<RegistryContext, "store">,
): Promise<readonly EvalSummary[]> {
  const rows = await store.listEvals(uid, { treeHash, limit: MOST_RESULTS });
  const oldestFirst = rows.toReversed().map(({ summary }) => [summary.kind, summary] as const);
  return [...new Map(oldestFirst).values()];
}

/** The figures of a report, without runs and queries. */
export function summarizeEval(
  report: EvalReportBody,
  { id, by }: { readonly id: string; readonly by: string },
): EvalSummary {
  const { kind, treeHash, at, notes } = report;
  const head = { id, kind, treeHash, at, by, notes };
  switch (report.kind) {
    case "tasks": {
      const { runner, runs, arms, comparison } = report;
      return { ...head, runner, runs, arms, ...(comparison === undefined ? {} : { comparison }) };
    }
    case "triggers": {
      const { runner, runs, recall, precision } = report;
      return {
        ...head,
        runner,
        runs,
        ...(recall === undefined ? {} : { recall }),
        ...(precision === undefined ? {} : { precision }),
      };
    }
    case "offline": {
      const { hitAt1, falseFirst } = report;
      return {
        ...head,
        ...(hitAt1 === undefined ? {} : { hitAt1 }),
        ...(falseFirst === undefined ? {} : { falseFirst }),
      };
    }
  }
}
