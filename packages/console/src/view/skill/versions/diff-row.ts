import { diffWordsWithSpace } from "diff";

/** A part of a change, as a unified diff has it. */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

export interface DiffLine {
  readonly number: number;
  readonly text: string;
  readonly isChanged: boolean;
  /** The text in pieces, when only some of its words changed. */
  readonly words?: readonly Word[];
}

export interface Word {
  readonly text: string;
  readonly isChanged: boolean;
}

/** One row of a side-by-side diff; a side without a line is absent. */
export interface DiffRow {
  readonly left?: DiffLine;
  readonly right?: DiffLine;
}

/** Aligns both sides of a hunk: removed lines beside the lines that replace them. */
export function rowsOf({ oldStart, newStart, lines }: Hunk): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let left = oldStart;
  let right = newStart;
  let gone: DiffLine[] = [];
  let come: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1) rows.push(beside(gone[at], come[at]));
    gone = [];
    come = [];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("-")) {
      // A removed line after an added one starts another change.
      if (come.length > 0) flush();
      gone.push({ number: left++, text, isChanged: true });
    } else if (line.startsWith("+")) come.push({ number: right++, text, isChanged: true });
    else if (!line.startsWith("\\")) {
      flush();
      rows.push(beside(plain(left++, text), plain(right++, text)));
    }
  }
  flush();
  return rows;
}

function plain(number: number, text: string): DiffLine {
  return { number, text, isChanged: false };
}

function beside(left: DiffLine | undefined, right: DiffLine | undefined): DiffRow {
  if (left?.isChanged === true && right?.isChanged === true) return withWords(left, right);
  return { ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) };
}

/** Comparing the words of longer lines would block the page. */
const LONGEST = 2000;
/** Lines that share less are two lines, not one that was edited. */
const LEAST_SHARED = 0.3;

function withWords(left: DiffLine, right: DiffLine): DiffRow {
  if (left.text.length + right.text.length > LONGEST) return { left, right };
  const parts = diffWordsWithSpace(left.text, right.text);
  const shared = parts
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  if (shared < LEAST_SHARED * Math.max(left.text.length, right.text.length)) return { left, right };
  return {
    left: { ...left, words: parts.filter(({ added }) => !added).map(wordOf) },
    right: { ...right, words: parts.filter(({ removed }) => !removed).map(wordOf) },
  };
}

function wordOf({ value, added, removed }: ReturnType<typeof diffWordsWithSpace>[number]): Word {
  return { text: value, isChanged: added || removed };
}
