import type { Uploaded } from "../../api/upload.ts";
import type { Tone } from "../../ui/badge.tsx";
import { formatBytes } from "../../ui/text.tsx";
import type { Dropped } from "./dropped.ts";
import type { LocalSkill } from "./local-skill.ts";

export type Publication = Uploaded["skills"][number];
/** A file that differs from the current revision. */
export type Change = NonNullable<
  Extract<Publication, { status: "published" | "unchanged" }>["changes"]
>[number];

/** How far something that was dropped has come. */
export type Step =
  | { readonly step: "reading" }
  /** It cannot be sent at all. */
  | { readonly step: "stuck"; readonly why: string }
  /** `part` is the fraction sent; at 1 the gateway is processing the upload. */
  | { readonly step: "sending"; readonly isDryRun: boolean; readonly part: number }
  | { readonly step: "failed"; readonly isDryRun: boolean; readonly error: Error }
  | { readonly step: "tried" }
  | { readonly step: "published" };

/** An archive or a folder on its way to the gateway. */
export interface Parcel {
  readonly key: number;
  readonly name: string;
  readonly kind: "folder" | "archive";
  /** Packed, once that is done. */
  readonly bytes: number | undefined;
  readonly skills: readonly LocalSkill[];
  readonly paths: readonly string[];
  /** Left out before it was packed. */
  readonly skipped: readonly string[];
  /** Why the browser could not look into it. */
  readonly trouble: string | undefined;
  /** The gateway's last results, from the dry run or the publication. */
  readonly results: readonly Publication[] | undefined;
  /** The id that the user chose for a single skill. */
  readonly id: string | undefined;
  readonly state: Step;
}

/** Why something is not even sent. */
export function refusalOf(dropped: Dropped, limits: Readonly<Record<string, number>>): string | undefined {
  if (dropped.kind === "unknown") return "Not a ZIP, a tar.gz or a folder, and no SKILL.md beside it.";
  if (dropped.kind === "archive") {
    const most = limits["archiveBytes"] ?? Number.POSITIVE_INFINITY;
    const { size } = dropped.file;
    return size > most ? `It is ${formatBytes(size)}; the limit is ${formatBytes(most)}.` : undefined;
  }
  if (dropped.files.length === 0) return "The folder is empty.";
  const most = limits["unpackedBytes"] ?? Number.POSITIVE_INFINITY;
  const size = dropped.files.reduce((sum, { file }) => sum + file.size, 0);
  if (size <= most) return undefined;
  return `Its files are ${formatBytes(size)} in total; the limit is ${formatBytes(most)}.`;
}

/** A skill of a parcel: the browser's check and the gateway's result. */
export interface SkillLine {
  readonly path: string;
  readonly local: LocalSkill | undefined;
  readonly result: Publication | undefined;
}

/** Joins the local check and the gateway's result of each skill. Refusals match by folder, other results by id. */
export function linesOf({ skills, results = [] }: Pick<Parcel, "skills" | "results">): readonly SkillLine[] {
  const rest = new Set(results);
  const refused = new Set(results.flatMap((each) => (each.status === "failed" ? [each.path] : [])));
  const take = (fits: (result: Publication) => boolean) => {
    const found = [...rest].find(fits);
    if (found !== undefined) rest.delete(found);
    return found;
  };
  const isAlone = skills.length === 1 && results.length === 1;
  const lines = skills.map((local): SkillLine => {
    const { path, id } = local;
    const isOf = (each: Publication) =>
      each.status === "failed" ? each.path === path : each.id === id && !refused.has(path);
    return { path, local, result: take(isAlone ? () => true : isOf) };
  });
  const unmatched = [...rest].map((result): SkillLine => {
    return { path: result.status === "failed" ? result.path : result.id, local: undefined, result };
  });
  return [...lines, ...unmatched];
}

/** The actual or expected outcome for a skill, in a word or two. */
export function outcomeOf({ local, result }: SkillLine): readonly [string, Tone] {
  if (result === undefined)
    return local?.isValid === false ? ["not valid", "bad"] : ["checked here", "neutral"];
  if (result.status === "failed") return ["refused", "bad"];
  if (result.status === "unchanged") return ["unchanged", "neutral"];
  if (!result.isDryRun) return [`published as r${result.revision}`, "good"];
  return result.isNew ? ["new", "accent"] : [`new revision r${result.revision}`, "info"];
}

/** How many of its skills publishing would change. */
export function publishable({ state, results = [] }: Pick<Parcel, "state" | "results">): number {
  const isOpen = state.step === "tried" || (state.step === "failed" && !state.isDryRun);
  return isOpen ? results.filter(({ status }) => status === "published").length : 0;
}

/** Whether executable bits may be lost: browsers do not report the mode of files in a folder. */
export function unmarked({ kind, paths, results = [] }: Pick<Parcel, "kind" | "paths" | "results">): boolean {
  if (kind !== "folder") return false;
  const isProgram = (path: string) => /(?:^|\/)(?:scripts|bin)\/[^.]+$/.test(path);
  const hasMode = results.some(
    (each) => each.status !== "failed" && each.changes?.some(({ change }) => change === "mode") === true,
  );
  return hasMode || paths.some(isProgram);
}
