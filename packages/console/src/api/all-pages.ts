import { type Answer, ApiError, type CallInput, call, type RouteKey } from "./client.ts";

/** Lists that come in pages and are shown whole, and what each calls its rows. */
const rowsOf: ReadonlyMap<RouteKey, string> = new Map<RouteKey, string>([
  ["GET /v1/agents", "agents"],
  ["GET /v1/explain", "explanations"],
  ["GET /v1/metrics", "skills"],
  ["GET /v1/proposals", "proposals"],
  ["GET /v1/skills/{id}/grants", "grants"],
  ["GET /v1/skills/{id}/versions", "versions"],
  ["GET /v1/tokens", "tokens"],
  ["GET /v1/users", "users"],
]);

const PAGE = "1000";
const MOST_PAGES = 100;

/** `call`; of such a list all pages, as one answer. */
export async function callAll<K extends RouteKey>(key: K, input: CallInput<K>): Promise<Answer<K>> {
  const name = rowsOf.get(key);
  if (name === undefined) return await call(key, input);
  const rows: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const paged = { ...input, query: { ...input.query, limit: PAGE, cursor } };
    // Each route of the table above takes these two, and answers with its rows by that name.
    const told: unknown = await call(key, paged as CallInput<K>);
    const { nextCursor, ...answer } = told as PageAnswer;
    rows.push(...(answer[name] as readonly unknown[]));
    const whole: unknown = { ...answer, [name]: rows };
    if (nextCursor === undefined) return whole as Answer<K>;
    cursor = nextCursor;
  }
  throw new ApiError({
    code: "LIMIT_EXCEEDED",
    detail: `The list has more than ${rows.length} rows.`,
    hint: "Fetch it page by page over the API.",
  });
}

interface PageAnswer extends Readonly<Record<string, unknown>> {
  readonly nextCursor?: string;
}
