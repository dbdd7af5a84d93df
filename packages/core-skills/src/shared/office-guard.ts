import type { InputFile } from "./input-file.ts";
import { lossError } from "./loss-error.ts";
import { OfficePackage, type Relation } from "./office-package.ts";
import { type OfficeSummary, summarizeOffice } from "./office-summary.ts";

/** What an edit may change. Everything else must stay. */
export interface Allowance {
  /** The most paragraphs whose text may change or go; `any` when the command is about whole sections. */
  readonly paragraphs?: number | "any";
  /** Elements that may become fewer, by local name; `any` for all. */
  readonly elements?: readonly string[] | "any";
  /** The file to compare with, when it is not the one that the package was opened from. */
  readonly source?: InputFile;
  /** Parts that the command removes. */
  readonly parts?: ReadonlySet<string>;
}

/**
 * Opens the bytes that are about to be written and compares them with the source. Fails when something is missing that
 * the edit was not asked to change, or when a reader could not follow the package.
 */
export function guardOffice(
  source: InputFile | undefined,
  bytes: Uint8Array,
  path: string,
  allowance: Allowance,
): void {
  const output: InputFile = { path, absolute: path, name: path, bytes };
  const after = summarizeOffice(output);
  const before = source === undefined ? undefined : summarizeOffice(source);
  const known = new Set(source === undefined || before === undefined ? [] : defects(source, before));
  const problems = [
    ...defects(output, after).filter((problem) => !known.has(problem)),
    ...(before === undefined ? [] : compare(before, after, allowance)),
  ];
  if (problems.length > 0) throw lossError(path, problems);
}

function compare(before: OfficeSummary, after: OfficeSummary, allowance: Allowance): readonly string[] {
  const problems: string[] = [];
  for (const name of before.parts.keys()) {
    if (after.parts.has(name) || allowance.parts?.has(name) === true || name.endsWith(".rels")) continue;
    problems.push(`${name} is missing`);
  }
  for (const [name, count] of before.elements) {
    const now = after.elements.get(name) ?? 0;
    const mayShrink = allowance.elements === "any" || allowance.elements?.includes(name) === true;
    if (now < count && !mayShrink) problems.push(`${name} elements are ${now}, and were ${count}`);
  }
  if (allowance.paragraphs !== "any") {
    let lost = 0;
    for (const [text, count] of before.paragraphs)
      lost += Math.max(0, count - (after.paragraphs.get(text) ?? 0));
    if (lost > (allowance.paragraphs ?? 0)) problems.push(`the text of ${lost} paragraphs changed`);
  }
  return problems;
}

/** XML that is not well-formed, parts without a content type, and links to missing parts. */
function defects(file: InputFile, { parts, broken }: OfficeSummary): readonly string[] {
  const pkg = new OfficePackage(file, parts);
  const inParts = ["", ...pkg.names].flatMap((name) => {
    if (name === "[Content_Types].xml") return [];
    const isUntyped = name !== "" && pkg.contentType(name) === undefined;
    const dangling = relationsOf(pkg, name).filter(
      ({ isExternal, target }) => !isExternal && !pkg.has(target),
    );
    return [
      ...(isUntyped ? [`${name} has no content type`] : []),
      ...dangling.map(({ target }) => `${name} links to ${target}, which is missing`),
    ];
  });
  return [...[...broken].map((name) => `${name} is not well-formed XML`), ...inParts];
}

/** Treats an unreadable relationship list as empty, because the source file already contains it. */
function relationsOf(pkg: OfficePackage, name: string): readonly Relation[] {
  if (name.endsWith(".rels")) return [];
  try {
    return pkg.relations(name);
  } catch {
    return [];
  }
}
