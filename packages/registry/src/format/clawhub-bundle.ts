import { isUtf8 } from "node:buffer";
import { SkillError } from "@skillhold/protocol/error";
import { isSkillFile, parseSkill, scalarText } from "@skillhold/skill";
import { clawhubFingerprint } from "./clawhub-lock.ts";

export interface ClawhubFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/** A skill in the form that ClawHub accepts. */
export interface ClawhubBundle {
  readonly slug: string;
  readonly files: readonly ClawhubFile[];
  /** Hidden files, which ClawHub never accepts, and rejected files that were omitted on request. */
  readonly leftOut: readonly RefusedFile[];
  readonly bytes: number;
  readonly fingerprint: string;
  /** Conditions for the publisher. */
  readonly notes: readonly string[];
}

export interface RefusedFile {
  readonly path: string;
  readonly reason: "hidden" | "not-text" | "too-large";
}

export interface ClawhubOptions {
  /** Omits files that ClawHub rejects instead of failing. */
  readonly isPartialAllowed?: boolean;
}

const MB = 1024 * 1024;
/** Limits of ClawHub, not configurable here. */
const MAX_FILE_BYTES = 10 * MB;
const MAX_BUNDLE_BYTES = 50 * MB;
const LICENSE_NOTE =
  "ClawHub publishes every skill under MIT-0: free to use, change and redistribute, without attribution.";

/**
 * Applies the rules of ClawHub: text files only, at most 10 MB per file and 50 MB in total, no hidden files.
 * Ignore files were applied when the skill was packed. All rejected files are reported at once.
 */
export function toClawhubBundle(
  slug: string,
  files: readonly ClawhubFile[],
  options: ClawhubOptions = {},
): ClawhubBundle {
  const leftOut = files.flatMap(refusalOf);
  const refused = leftOut.filter(({ reason }) => reason !== "hidden");
  if (refused.length > 0 && options.isPartialAllowed !== true) throw explain(slug, refused);
  const gone = new Set(leftOut.map(({ path }) => path));
  const kept = files.filter(({ path }) => !gone.has(path));
  const bytes = kept.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > MAX_BUNDLE_BYTES) throw tooLarge(slug, bytes);
  const fingerprint = clawhubFingerprint(kept);
  return { slug, files: kept, leftOut, bytes, fingerprint, notes: notesOn(slug, kept) };
}

function refusalOf({ path, content }: ClawhubFile): readonly RefusedFile[] {
  if (path.split("/").some((segment) => segment.startsWith("."))) return [{ path, reason: "hidden" }];
  if (content.length > MAX_FILE_BYTES) return [{ path, reason: "too-large" }];
  return isUtf8(content) && !content.includes(0) ? [] : [{ path, reason: "not-text" }];
}

function explain(slug: string, refused: readonly RefusedFile[]): SkillError {
  const named = refused.slice(0, 10).map(({ path, reason }) => `${path} (${reason})`);
  const more = refused.length > named.length ? ` and ${refused.length - named.length} more` : "";
  return new SkillError("SKILL_INVALID", `ClawHub does not accept ${slug}: ${named.join(", ")}${more}.`, {
    hint: "ClawHub accepts text files of at most 10 MB. Add the other files to .clawhubignore and publish again.",
    details: { skill: slug, refused },
  });
}

function tooLarge(slug: string, bytes: number): SkillError {
  return new SkillError(
    "LIMIT_EXCEEDED",
    `${slug} has ${bytes} bytes, but ClawHub accepts at most ${MAX_BUNDLE_BYTES}.`,
    {
      hint: "Add files that users do not need to .clawhubignore and publish again.",
      details: { skill: slug, bytes, max: MAX_BUNDLE_BYTES },
    },
  );
}

/** ClawHub ignores the license in SKILL.md, so the publisher must have the right to publish under MIT-0. */
function notesOn(slug: string, files: readonly ClawhubFile[]): readonly string[] {
  const main = files.find(({ path }) => isSkillFile(path));
  const license = main === undefined ? undefined : scalarText(parseSkill(main.content), "license")?.trim();
  if (license === undefined || /^MIT-0$/i.test(license)) return [LICENSE_NOTE];
  const shown = license.replace(/\s+/g, " ").slice(0, 80);
  return [
    LICENSE_NOTE,
    `The license of ${slug} is ${shown}. Publish it only if you have the right to license it under MIT-0.`,
  ];
}
