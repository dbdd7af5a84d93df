import type { Digest } from "@skillhold/protocol";
import { capabilityDiff, getGuardReport, rescanSkills, waiveFinding } from "@skillhold/registry/release";
import { describeManifest } from "@skillhold/skill/guard";
import { principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import { allowedRevision, getDisclosedSkill } from "../skill/disclosed-skill.ts";

type GuardOperation = "getGuardReport" | "diffCapabilities" | "waiveFinding" | "rescanGuard";

export const guardHandlers: Pick<Handlers, GuardOperation> = {
  getGuardReport: async ({ principal, params: { id }, query }, context) => {
    const known = await getDisclosedSkill(id, { principal }, context);
    const revision = allowedRevision(known, query.revision);
    const report = await getGuardReport(known.access.entry.id, revision, context.registry, context.guardScan);
    return { data: { ...report, summary: describeManifest(report.manifest) } };
  },
  diffCapabilities: async ({ principal, params: { id }, query }, context) => {
    const known = await getDisclosedSkill(id, { principal }, context);
    const to = allowedRevision(known, query.to);
    const before = query.from ?? (to > 1 ? to - 1 : undefined);
    const from = before === undefined ? undefined : allowedRevision(known, before);
    return {
      data: await capabilityDiff(known.access.entry.id, from, to, context.registry, context.guardScan),
    };
  },
  waiveFinding: async ({ principal, body: { skill, ...body } }, context) => {
    const waiver = await waiveFinding(skill, { ...body, by: principalActor(principal) }, context.registry);
    // The verb has checked that it is a digest.
    return { data: { ...waiver, contentHash: waiver.contentHash as Digest } };
  },
  rescanGuard: async ({ principal, body, signal }, context) => {
    const force = body?.force === true;
    const skills = await rescanSkills(
      { by: principalActor(principal), force, signal },
      context.registry,
      context.guardScan,
    );
    return { data: { skills } };
  },
};
