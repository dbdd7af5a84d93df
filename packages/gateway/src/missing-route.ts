import { SkillError } from "@skillhold/protocol/error";
import { type Route, routeTable } from "@skillhold/protocol/http";
import { pageTable } from "./page/page-table.ts";

/** Where WebSockets are. */
export const SOCKET_PATH = "/ws";

/** Says of a path that is not answered why: it takes another method, or there is none such. */
export function missingRoutes(): (path: string) => SkillError {
  const rows = Object.values<Route>(routeTable).map(({ path, method }) => ({
    pattern: new RegExp(`^${patternOf(path)}$`),
    method,
  }));
  return (asked) => {
    const methods = rows.filter(({ pattern }) => pattern.test(asked)).map(({ method }) => method);
    const pages = pageTable.some(({ path }) => path === asked) ? ["GET"] : [];
    const allow = [...new Set<string>([...methods, ...pages])].join(", ");
    if (asked === SOCKET_PATH) return new SkillError("UPGRADE_REQUIRED", "This address is for WebSockets.");
    if (allow === "") return new SkillError("ROUTE_NOT_FOUND", "There is no such route.");
    return new SkillError("METHOD_NOT_ALLOWED", `This path takes ${allow}.`, { details: { allow } });
  };
}

/** The last name of a path may be one with slashes; the text between names is taken as it is written. */
function patternOf(path: string): string {
  return path
    .split(/(\{\w+\})/)
    .map((part, at) => (at % 2 === 0 ? part.replaceAll(".", "\\.") : part === "{path}" ? ".+" : "[^/]+"))
    .join("");
}
