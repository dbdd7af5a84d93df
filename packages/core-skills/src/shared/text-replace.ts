/** A stretch of a paragraph's text that one element holds. */
export interface Segment {
  readonly text: string;
  /** Absent where the text stands for something else: a tab, a line break. */
  readonly set?: (text: string) => void;
}

export interface Replacement {
  readonly find: string;
  readonly with: string;
}

/** Finds what to put in the place of a match; undefined leaves it as it is. */
export type Chooser = (match: string) => string | undefined;

/**
 * Replaces matches in the text of a paragraph, including matches that span several segments: the new text goes where
 * the match begins, so it has the style of its first character. Returns the number of replacements.
 */
export function replaceInSegments(segments: readonly Segment[], pattern: RegExp, choose: Chooser): number {
  const whole = segments.map(({ text }) => text).join("");
  const edits = [...whole.matchAll(pattern)]
    .filter(({ 0: match }) => match !== "")
    .map(({ 0: match, index }) => ({ start: index, end: index + match.length, text: choose(match) }))
    .filter((edit): edit is Edit => edit.text !== undefined);
  const possible = edits.filter((edit) => !touchesFixed(segments, edit));
  if (possible.length > 0) applyEdits(segments, possible);
  return possible.length;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function touchesFixed(segments: readonly Segment[], edit: Edit): boolean {
  let start = 0;
  for (const { text, set } of segments) {
    const end = start + text.length;
    if (set === undefined && start < edit.end && end > edit.start) return true;
    start = end;
  }
  return false;
}

function applyEdits(segments: readonly Segment[], edits: readonly Edit[]): void {
  let start = 0;
  for (const segment of segments) {
    const end = start + segment.text.length;
    const changed = editSegment(segment.text, start, edits);
    if (changed !== segment.text) segment.set?.(changed);
    start = end;
  }
}

function editSegment(text: string, offset: number, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits) {
    const from = Math.max(edit.start - offset, 0);
    const to = Math.min(edit.end - offset, text.length);
    if (from >= text.length || to <= 0) continue;
    const isFirst = edit.start >= offset;
    result += text.slice(at, from) + (isFirst ? edit.text : "");
    at = to;
  }
  return result + text.slice(at);
}

export interface MatchOptions {
  readonly ignoreCase?: boolean | undefined;
  readonly wholeWord?: boolean | undefined;
}

/** A pattern for all of the replacements at once, so that the result of one is never taken by another. */
export function matcherOf(
  replacements: readonly Replacement[],
  options: MatchOptions,
): { readonly pattern: RegExp; readonly replacementOf: (match: string) => Replacement | undefined } {
  const fold = (text: string) => (options.ignoreCase === true ? text.toLowerCase() : text);
  const known = new Map(replacements.map((each) => [fold(each.find), each]));
  const longestFirst = replacements
    .map(({ find }) => find)
    .toSorted((a, b) => b.length - a.length)
    .map(escapePattern);
  const any = `(?:${longestFirst.join("|")})`;
  const source = options.wholeWord === true ? `(?<![\\p{L}\\p{N}_])${any}(?![\\p{L}\\p{N}_])` : any;
  const pattern = new RegExp(source, options.ignoreCase === true ? "giu" : "gu");
  return { pattern, replacementOf: (match) => known.get(fold(match)) };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
