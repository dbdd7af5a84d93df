import { SkillEvent } from "@skillhold/protocol";
import type { AuditRow } from "../record/registry-store.ts";
import { canonicalJson } from "./canonical-json.ts";

/** What is wrong with an entry, seen by itself; undefined for one as it was written. */
export function findEntryProblem(row: AuditRow): string | undefined {
  const value = parse(row.body);
  const { success, data } = SkillEvent.safeParse(value);
  if (!success) return "It is not an event.";
  if (!isCanonical(value, row.body)) return "Its text is not in the form that is written here.";
  if (row.at !== data.at) return "Its time is not that of its text.";
  if (row.type !== data.type) return "Its type is not that of its text.";
  if (row.skill !== columnText("skill" in data ? data.skill : undefined))
    return "Its skill is not that of its text.";
  if (row.session !== columnText("session" in data ? data.session : undefined))
    return "Its session is not that of its text.";
  return undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // What is not JSON is no event either.
    return undefined;
  }
}

/** Keys that are in order already need not be put in order; numbers as keys are, but not as texts. */
function isCanonical(value: unknown, body: string): boolean {
  return (isOrdered(value) ? JSON.stringify(value) : canonicalJson(value)) === body;
}

function isOrdered(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isOrdered);
  let before = "";
  for (const [key, each] of Object.entries(value)) {
    if (key < before || !isOrdered(each)) return false;
    before = key;
  }
  return true;
}

/** As both engines can keep it. */
function columnText(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll("\0", "\uFFFD");
}
