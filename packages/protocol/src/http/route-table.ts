import { accessRoutes } from "./route/access-route.ts";
import { agentRoutes } from "./route/agent-route.ts";
import { approvalRoutes } from "./route/approval-route.ts";
import { auditRoutes } from "./route/audit-route.ts";
import { dependencyRoutes } from "./route/dependency-route.ts";
import { evalRoutes } from "./route/eval-route.ts";
import { gatewayRoutes } from "./route/gateway-route.ts";
import { guardRoutes } from "./route/guard-route.ts";
import { installRoutes } from "./route/install-route.ts";
import { passkeyRoutes } from "./route/passkey-route.ts";
import { promotionRoutes } from "./route/promotion-route.ts";
import { proposalRoutes } from "./route/proposal-route.ts";
import { releaseRoutes } from "./route/release-route.ts";
import { secretRoutes } from "./route/secret-route.ts";
import { sessionRoutes } from "./route/session-route.ts";
import { skillRoutes } from "./route/skill-route.ts";
import { tokenRoutes } from "./route/token-route.ts";
import { transparencyRoutes } from "./route/transparency-route.ts";
import { webhookRoutes } from "./route/webhook-route.ts";
import { workspaceRoutes } from "./route/workspace-route.ts";
import type { Route } from "./route.ts";

/**
 * Every route of the gateway: who may call it, its input and its response. The gateway, its OpenAPI document and its
 * clients are made from this table.
 */
export const routeTable = {
  ...skillRoutes,
  ...installRoutes,
  ...releaseRoutes,
  ...accessRoutes,
  ...agentRoutes,
  ...tokenRoutes,
  ...passkeyRoutes,
  ...sessionRoutes,
  ...approvalRoutes,
  ...dependencyRoutes,
  ...auditRoutes,
  ...transparencyRoutes,
  ...secretRoutes,
  ...gatewayRoutes,
  ...guardRoutes,
  ...proposalRoutes,
  ...promotionRoutes,
  ...webhookRoutes,
  ...workspaceRoutes,
  ...evalRoutes,
} as const satisfies Record<string, Route>;

export type RouteTable = typeof routeTable;
export type Operation = keyof RouteTable;

/** Routes whose response contains skill content. The gateway records each of their responses. */
export type ContentOperation = {
  [O in Operation]: RouteTable[O] extends { readonly content: "skill" } ? O : never;
}[Operation];
