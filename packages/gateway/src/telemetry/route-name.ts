import { routeTable } from "@skillhold/protocol/http";
import type { StartedRequest } from "../gateway-context.ts";

/** The route of a request for metrics and spans: the path template. */
export function routeOf(operation: StartedRequest["operation"]): string {
  switch (operation) {
    case "mount":
    case "page":
    case "none":
      return operation;
    default:
      return routeTable[operation].path;
  }
}
