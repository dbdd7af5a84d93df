import { splitByWords } from "./split-words.ts";

/** A text with its matches highlighted. */
export function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  return splitByWords(text, words).map(({ part, isMatch, at }) =>
    isMatch ? (
      <mark key={at} className="rounded bg-warn-soft px-0.5 text-warn">
        {part}
      </mark>
    ) : (
      <span key={at}>{part}</span>
    ),
  );
}
