import { SkillError } from "@skillhold/protocol/error";
import type { Principal } from "./auth/principal.ts";
import type { Handlers } from "./http/handler.ts";
import { accessHandlers } from "./route/access-handler.ts";
import { agentHandlers } from "./route/agent-handler.ts";
import { approvalHandlers } from "./route/approval-handler.ts";
import { auditHandlers } from "./route/audit-handler.ts";
import { dependencyHandlers } from "./route/dependency-handler.ts";
import { evalHandlers } from "./route/eval-handler.ts";
import { gatewayHandlers } from "./route/gateway-handler.ts";
import { guardHandlers } from "./route/guard-handler.ts";
import { installHandlers } from "./route/install-handler.ts";
import { mapHandlers } from "./route/map-handler.ts";
import { metricHandlers } from "./route/metric-handler.ts";
import { passkeyHandlers } from "./route/passkey-handler.ts";
import { promotionHandlers } from "./route/promotion-handler.ts";
import { proposalHandlers } from "./route/proposal-handler.ts";
import { referenceHandlers } from "./route/reference-handler.ts";
import { releaseHandlers } from "./route/release-handler.ts";
import { secretHandlers } from "./route/secret-handler.ts";
import { sessionHandlers } from "./route/session-handler.ts";
import { skillHandlers } from "./route/skill-handler.ts";
import { ssoHandlers } from "./route/sso-handler.ts";
import { tokenHandlers } from "./route/token-handler.ts";
import { transparencyHandlers } from "./route/transparency-handler.ts";
import { webhookHandlers } from "./route/webhook-handler.ts";
import { workspaceFolderHandlers } from "./route/workspace-folder-handler.ts";
import { workspaceHandlers } from "./route/workspace-handler.ts";
import type { CatalogueContext } from "./running-context.ts";

const plainHandlers: Handlers = {
  ...skillHandlers,
  ...installHandlers,
  ...releaseHandlers,
  ...accessHandlers,
  ...agentHandlers,
  ...tokenHandlers,
  ...passkeyHandlers,
  ...ssoHandlers,
  ...sessionHandlers,
  ...approvalHandlers,
  ...dependencyHandlers,
  ...auditHandlers,
  ...transparencyHandlers,
  ...secretHandlers,
  ...gatewayHandlers,
  ...mapHandlers,
  ...metricHandlers,
  ...referenceHandlers,
  ...guardHandlers,
  ...proposalHandlers,
  ...promotionHandlers,
  ...webhookHandlers,
  ...workspaceHandlers,
  ...workspaceFolderHandlers,
  ...evalHandlers,
};

/** The handler of each row of the route table. Expensive work waits at a gate, and long calls end with their token. */
export const handlers: Handlers = {
  ...plainHandlers,
  exportSkills: delivered(gated("heavy", plainHandlers.exportSkills)),
  downloadSkill: delivered(gated("heavy", plainHandlers.downloadSkill)),
  diffVersions: delivered(gated("heavy", plainHandlers.diffVersions)),
  diffProposal: delivered(gated("heavy", plainHandlers.diffProposal)),
  promoteSkill: endable(gated("heavy", plainHandlers.promoteSkill)),
  createProposal: endable(gated("heavy", plainHandlers.createProposal)),
  applyProposal: endable(gated("heavy", plainHandlers.applyProposal)),
  rebaseProposal: endable(gated("heavy", plainHandlers.rebaseProposal)),
  getQuestionContent: delivered(gated("heavy", plainHandlers.getQuestionContent)),
  // A check can start programs, so one token must not use all of them.
  getDependencies: endable(gated("heavy", plainHandlers.getDependencies)),
  rescanDependencies: endable(gated("heavy", plainHandlers.rescanDependencies)),
  installDependencies: endable(gated("heavy", plainHandlers.installDependencies)),
  installDependency: endable(gated("heavy", plainHandlers.installDependency)),
  rescanGuard: endable(gated("heavy", plainHandlers.rescanGuard)),
  getGuardReport: endable(gated("heavy", plainHandlers.getGuardReport)),
  diffCapabilities: endable(gated("heavy", plainHandlers.diffCapabilities)),
  getProposalEvals: endable(gated("heavy", plainHandlers.getProposalEvals)),
  scoreTriggers: endable(gated("heavy", plainHandlers.scoreTriggers)),
  installSkills: endable(gated("heavy", plainHandlers.installSkills)),
  // An upload is received first, however long that takes, and then passes the gate for expensive work.
  uploadSkills: endable(gated("receiving", plainHandlers.uploadSkills)),
  importSkills: endable(gated("receiving", plainHandlers.importSkills)),
  listTools: endable(plainHandlers.listTools),
  callTool: endable(plainHandlers.callTool),
  verifyAudit: endable(plainHandlers.verifyAudit),
  getSandbox: endable(plainHandlers.getSandbox),
};

interface LongCall {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

type Wrapped<Call, Context, Reply> = (call: Call, context: Context) => Promise<Reply>;

function gated<Call extends LongCall, Context extends Pick<CatalogueContext, "gates">, Reply>(
  gate: "heavy" | "receiving",
  handle: Wrapped<Call, Context, Reply>,
): Wrapped<Call, Context, Reply> {
  return (call, context) =>
    context.gates[gate].pass(call.principal.token, () => handle(call, context), call.signal);
}

/** Aborts the call when its token is revoked or expires. */
function endable<Call extends LongCall, Context extends Pick<CatalogueContext, "calls">, Reply>(
  handle: Wrapped<Call, Context, Reply>,
): Wrapped<Call, Context, Reply> {
  return (call, context) =>
    context.calls.run(call.principal, call.signal, (signal) => handle({ ...call, signal }, context));
}

/** Rejects a call whose client disconnected during the work, so that undelivered content is not recorded as served. */
function delivered<Call extends LongCall, Context extends Pick<CatalogueContext, "calls">, Reply>(
  handle: Wrapped<Call, Context, Reply>,
): Wrapped<Call, Context, Reply> {
  return endable(async (call, context) => {
    const reply = await handle(call, context);
    if (call.signal.aborted)
      throw new SkillError("INTERRUPTED", "The request was canceled before its response was sent.");
    return reply;
  });
}
