import type { RouteKey } from "./client.ts";

const skills: readonly RouteKey[] = [
  "GET /v1/skills",
  "GET /v1/skills/{id}",
  "GET /v1/skills/{id}/access",
  "GET /v1/skills/search",
  "GET /v1/catalogue",
  "GET /v1/explain",
  "GET /v1/installed",
  "GET /v1/map",
];

const usage: readonly RouteKey[] = [
  "GET /v1/metrics",
  "GET /v1/metrics/days",
  "GET /v1/skills/{id}/metrics",
  "GET /v1/tokens",
  "GET /v1/map",
];

/** Which answers an event makes out of date, by the beginning of its type. */
export const liveTable: readonly (readonly [string, readonly RouteKey[]])[] = [
  [
    "skill.published",
    [
      ...skills,
      "GET /v1/skills/{id}/versions",
      "GET /v1/skills/{id}/files",
      "GET /v1/skills/{id}/dependencies",
    ],
  ],
  ["skill.rolled_back", [...skills, "GET /v1/skills/{id}/versions", "GET /v1/skills/{id}/files"]],
  ["skill.approvers", ["GET /v1/skills/{id}/approvers", "GET /v1/approvals"]],
  ["skill.purged", ["GET /v1/skills/{id}/versions"]],
  ["skill.deps", [...skills, "GET /v1/skills/{id}/dependencies", "GET /v1/skills/runtimes"]],
  ["skill.dep.", ["GET /v1/skills/{id}/dependencies"]],
  ["skill.activated", usage],
  ["skill.script_executed", usage],
  ["skill.tool_called", usage],
  ["skill.", skills],
  ["grant.", [...skills, "GET /v1/skills/{id}/grants", "GET /v1/grants/pending", "GET /v1/approvals"]],
  ["agent.", ["GET /v1/agents", "GET /v1/agents/{key}", ...skills]],
  ["workspace.", ["GET /v1/workspaces", "GET /workspaces/{workspace}/files/{path}"]],
  ["eval.", ["GET /v1/skills/{id}/evals"]],
  ["token.", ["GET /v1/tokens", "GET /v1/sign-in-codes", "GET /v1/users"]],
  ["passkey.", ["GET /v1/passkeys"]],
  ["user.", ["GET /v1/users"]],
  ["approval.", ["GET /v1/approvals"]],
  ["proposal.", ["GET /v1/proposals", "GET /v1/proposals/{proposal}", "GET /v1/proposals/{proposal}/diff"]],
  ["webhook.", ["GET /v1/webhooks"]],
  ["secret.", ["GET /v1/secrets", ...skills]],
];

/** Every event is in the record. */
export const alwaysStale: readonly RouteKey[] = ["GET /v1/audit"];

export function staleBy(type: string): readonly RouteKey[] {
  const row = liveTable.find(([start]) => type.startsWith(start));
  return [...(row?.[1] ?? []), ...alwaysStale];
}
