import { SkillError } from "@skillhold/protocol/error";
import type { Route } from "@skillhold/protocol/http";
import type { z } from "zod";
import { readJson } from "./body.ts";

/** What an address says. */
export interface Words {
  readonly params: object;
  readonly query: object;
  /** Both as text: another one for other words. */
  readonly text: string;
}

/** Reads an address, and refuses what its row of the table does not have. */
export function readWords(row: Route, url: string, given: Readonly<Record<string, string>>): Words {
  const params = row.params === undefined ? {} : parse(row.params, given, "path");
  const query = readQuery(row, url);
  return {
    params: Object.freeze(params),
    query: Object.freeze(query),
    text: JSON.stringify([params, query]),
  };
}

function readQuery(row: Route, url: string): object {
  // What has no query need not be taken apart to find that out.
  const given = url.includes("?") ? [...new URL(url).searchParams] : [];
  const names = given.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new SkillError("USAGE", `${twice.slice(0, 64)} is given twice in the query.`, {
      hint: "Give it once.",
    });
  if (row.query === undefined && names.length === 0) return {};
  if (row.query === undefined)
    throw new SkillError("USAGE", "This route takes no query.", { hint: "Leave out what is after the `?`." });
  return parse(row.query, Object.fromEntries(given), "query");
}

export async function readBody(row: Route, request: Request): Promise<unknown> {
  if (row.body === undefined) return undefined;
  if (row.body === "archive") return request.body ?? new ReadableStream({ start: (end) => end.close() });
  return parse(row.body, await readJson(request), "body");
}

function parse<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    const field = path.map(String).join(".");
    return field === "" ? message : `${field}: ${message}`;
  });
  throw new SkillError("USAGE", `The ${where} is not as it should be: ${faults.join("; ").slice(0, 500)}.`, {
    hint: "/openapi.json says what this route takes.",
  });
}
