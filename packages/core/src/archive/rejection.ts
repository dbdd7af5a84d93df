import { SkillError } from "@skillhold/protocol/error";
import type { LimitName, Limits } from "@skillhold/protocol/limits";
import { neutralText } from "../catalogue/index.ts";

/** The reason code of a rejected archive. */
export type RefusalReason =
  | "format"
  | "empty"
  | "damaged"
  | "layout"
  | "mismatch"
  | "encrypted"
  | "method"
  | "type"
  | "extension"
  | "name"
  | "duplicate"
  | "collision"
  | "size"
  | "checksum"
  | "no-skill";

const SHOWN_LENGTH = 120;

/** Any problem rejects the whole archive. No repair, because other readers may repair it differently. */
export function rejectArchive(reason: RefusalReason, problem: string, entry?: string): SkillError {
  const shown = shownName(entry);
  return new SkillError("ARCHIVE_INVALID", `${subjectOf(shown)} ${problem}.`, {
    details: { entry: shown, reason },
  });
}

export function exceedsLimit(limit: LimitName, limits: Limits, problem: string, entry?: string): SkillError {
  const shown = shownName(entry);
  return new SkillError("LIMIT_EXCEEDED", `${subjectOf(shown)} ${problem} (limit ${limit}).`, {
    details: { entry: shown, reason: "limit", limit, max: limits[limit] },
  });
}

/** A name may be any text, so it is shown as one neutral line. */
function shownName(entry: string | undefined): string | undefined {
  return entry === undefined ? undefined : neutralText(entry, SHOWN_LENGTH);
}

function subjectOf(shown: string | undefined): string {
  return shown === undefined ? "The archive" : `The archive is rejected: its entry ${JSON.stringify(shown)}`;
}
