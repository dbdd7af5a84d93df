const BLANK_LINES = 20;
const BLANKS = 200;

/** The line, from 1, of the first text that a long blank run pushes out of sight; undefined without such text. */
export function findPadding(text: string): number | undefined {
  let blank = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") {
      blank += 1;
      continue;
    }
    if (blank >= BLANK_LINES && index > blank) return index + 1;
    blank = 0;
    if (line.length > BLANKS && !line.includes("|") && hasInnerRun(line)) return index + 1;
  }
  return undefined;
}

/** Blanks in the middle of a line, with text on both sides. */
function hasInnerRun(line: string): boolean {
  let run = 0;
  let hasText = false;
  for (const char of line) {
    if (char === " " || char === "\t" || char === "\u00a0") run += 1;
    else {
      if (hasText && run >= BLANKS) return true;
      hasText = true;
      run = 0;
    }
  }
  return false;
}
