export interface TextPart {
  readonly part: string;
  readonly isMatch: boolean;
  /** Where it starts. */
  readonly at: number;
}

const LEAST = 2;

/** Cuts a text where one of the words begins and ends; together the parts are the text. */
export function splitByWords(text: string, words: readonly string[]): readonly TextPart[] {
  const wanted = words.filter((word) => word.length >= LEAST).map(patternOf);
  if (wanted.length === 0) return [{ part: text, isMatch: false, at: 0 }];
  const parts = text.split(new RegExp(`(${wanted.join("|")})`, "giu"));
  let at = 0;
  return parts.flatMap((part, index) => {
    const start = at;
    at += part.length;
    return part === "" ? [] : [{ part, isMatch: index % 2 === 1, at: start }];
  });
}

/** A word of Latin letters as a word with its endings, and not as a part of another; what has no blanks, anywhere. */
function patternOf(word: string): string {
  const plain = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  if (!/^[a-z0-9]+$/i.test(word)) return plain;
  return `(?<![\\p{L}\\p{N}])${plain}(?:s|es|d|ed|ing|er|ers)?(?![\\p{L}\\p{N}])`;
}
