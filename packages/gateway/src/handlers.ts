import type { Handlers } from "./http/handler.ts";
import { gated } from "./limit/heavy-handler.ts";
import { accessHandlers } from "./route/access-handler.ts";
import { agentHandlers } from "./route/agent-handler.ts";
import { approvalHandlers } from "./route/approval-handler.ts";
import { auditHandlers } from "./route/audit-handler.ts";
import { dependencyHandlers } from "./route/dependency-handler.ts";
import { gatewayHandlers } from "./route/gateway-handler.ts";
import { metricHandlers } from "./route/metric-handler.ts";
import { referenceHandlers } from "./route/reference-handler.ts";
import { releaseHandlers } from "./route/release-handler.ts";
import { secretHandlers } from "./route/secret-handler.ts";
import { sessionHandlers } from "./route/session-handler.ts";
import { skillHandlers } from "./route/skill-handler.ts";
import { tokenHandlers } from "./route/token-handler.ts";

/** What answers each row of the table of routes. */
export const handlers: Handlers = gated({
  ...skillHandlers,
  ...releaseHandlers,
  ...accessHandlers,
  ...agentHandlers,
  ...tokenHandlers,
  ...sessionHandlers,
  ...approvalHandlers,
  ...dependencyHandlers,
  ...auditHandlers,
  ...secretHandlers,
  ...gatewayHandlers,
  ...metricHandlers,
  ...referenceHandlers,
});
