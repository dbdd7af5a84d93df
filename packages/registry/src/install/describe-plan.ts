import type { InstallPreview } from "@skillhold/protocol/http";
import { describeManifest } from "@skillhold/skill/guard";
import type { z } from "zod";
import type { InstallPlan } from "./plan.ts";
import type { Prepared } from "./prepare.ts";

/** A preview as programs read it: everything that a person sees before they agree. */
export function describePlan(prepared: Prepared, plan: InstallPlan): z.input<typeof InstallPreview> {
  const { staged, origin, signature, guard, firstSeen } = prepared;
  return {
    id: staged.id,
    plan: plan.kind === "apply" ? plan.action : plan.kind,
    description: staged.record.description,
    treeHash: staged.treeHash,
    bytes: staged.bytes,
    files: staged.files.map(({ path, size, executable, digest }) => ({ path, size, executable, digest })),
    origin: { ...origin },
    signature: { ...signature },
    firstSeen,
    findings: [...guard.findings, ...staged.diagnostics],
    capabilities: guard.capabilities,
    abilities: guard.capabilities === undefined ? [] : [...describeManifest(guard.capabilities)],
    ...(plan.kind === "apply"
      ? { changes: plan.changes.map((change) => ({ ...change })), concerns: plan.concerns }
      : {}),
    ...(plan.kind === "conflict" ? { conflicts: plan.conflicts } : {}),
  };
}
