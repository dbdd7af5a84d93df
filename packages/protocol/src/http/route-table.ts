import { accessRoutes } from "./access-route.ts";
import { agentRoutes } from "./agent-route.ts";
import { approvalRoutes } from "./approval-route.ts";
import { auditRoutes } from "./audit-route.ts";
import { dependencyRoutes } from "./dependency-route.ts";
import { gatewayRoutes } from "./gateway-route.ts";
import { releaseRoutes } from "./release-route.ts";
import type { Route } from "./route.ts";
import { secretRoutes } from "./secret-route.ts";
import { sessionRoutes } from "./session-route.ts";
import { skillRoutes } from "./skill-route.ts";
import { tokenRoutes } from "./token-route.ts";

/**
 * Every route of the gateway: who may call it, its input and its response. The gateway, its OpenAPI document and its
 * clients are made from this table.
 */
export const routeTable = {
  ...skillRoutes,
  ...releaseRoutes,
  ...accessRoutes,
  ...agentRoutes,
  ...tokenRoutes,
  ...sessionRoutes,
  ...approvalRoutes,
  ...dependencyRoutes,
  ...auditRoutes,
  ...secretRoutes,
  ...gatewayRoutes,
} as const satisfies Record<string, Route>;

export type RouteTable = typeof routeTable;
export type Operation = keyof RouteTable;

/** Routes whose response contains skill content. The gateway records each of their responses. */
export type ContentOperation = {
  [O in Operation]: RouteTable[O] extends { readonly content: "skill" } ? O : never;
}[Operation];
