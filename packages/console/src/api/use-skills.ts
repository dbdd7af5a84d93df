import type { SkillRow } from "@skillhold/protocol/http";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ApiError, call } from "./client.ts";

const PAGE = "1000";

/** Every skill that the signed-in user may see, ordered by id. */
export function useSkills(): UseQueryResult<readonly SkillRow[], ApiError> {
  return useQuery({
    queryKey: ["GET /v1/skills", { view: "all", pages: "all" }],
    queryFn: ({ signal }) => readAll(signal),
  });
}

async function readAll(signal: AbortSignal): Promise<readonly SkillRow[]> {
  const rows: SkillRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { view: "all" as const, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = await call("GET /v1/skills", { query, signal });
    rows.push(...page.skills);
    cursor = page.nextCursor;
    if (cursor === undefined) return rows;
  }
}
