import { clip } from "../shared/bounded.ts";
import type { OptionTable } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import type { Reviewer } from "./track-change.ts";

export const reviewerOptions = {
  author: {
    type: "string",
    value: "name",
    help: "The name that Word shows for the reviewer (default: Reviewer)",
  },
  date: { type: "string", value: "time", help: "When, as 2026-05-01T12:00:00Z (default: no time)" },
} as const satisfies OptionTable;

export function readReviewer(request: {
  readonly author?: string | undefined;
  readonly date?: string | undefined;
}): Reviewer {
  const { author = "Reviewer", date } = request;
  if (date === undefined) return { author: clip(author, 100), date };
  const time = new Date(date);
  if (Number.isNaN(time.getTime())) throw usageError(`--date is not a time: ${clip(date, 40)}.`);
  return { author: clip(author, 100), date: `${time.toISOString().slice(0, 19)}Z` };
}
