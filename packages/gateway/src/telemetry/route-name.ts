import { routeTable } from "@skillhold/protocol/http";
import type { StartedRequest } from "../gateway-context.ts";

/** What a request was for, as numbers and spans name it: its path with names for what is filled in. */
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
