import { SkillError } from "@skillhold/protocol/error";
import { type Route, routeTable } from "@skillhold/protocol/http";
import { pageTable } from "./page/page-table.ts";

/** The path of the WebSocket endpoint. */
export const SOCKET_PATH = "/ws";

/** Returns the error for a path without a matching route: the wrong method, or no such route. */
export function missingRoutes(): (path: string) => SkillError {
  const rows = Object.values<Route>(routeTable).map(({ path, method }) => ({
    pattern: new RegExp(`^${patternOf(path)}$`),
    method,
  }));
  return (wanted) => {
    const methods = rows.filter(({ pattern }) => pattern.test(wanted)).map(({ method }) => method);
    const pages = pageTable.some(({ path }) => path === wanted) ? ["GET"] : [];
    const allow = [...new Set<string>([...methods, ...pages])].join(", ");
    if (wanted === SOCKET_PATH)
      return new SkillError("UPGRADE_REQUIRED", `${SOCKET_PATH} only accepts WebSocket connections.`);
    if (allow === "") return new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
    return new SkillError("METHOD_NOT_ALLOWED", `This path only accepts ${allow}.`, { details: { allow } });
  };
}

/** The parameter `{path}` may contain slashes. */
function patternOf(path: string): string {
  return path
    .split(/(\{\w+\})/)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(".", "\\.") : part === "{path}" ? ".+" : "[^/]+"))
    .join("");
}
